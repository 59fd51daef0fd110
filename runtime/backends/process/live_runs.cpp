// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/process/live_runs.hpp"

#include <signal.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "runtime/backends/process/pidfd.hpp"
#include "runtime/backends/run/children.hpp"
#include "runtime/base/check.hpp"

namespace argosy::backends {

namespace {

using model::run_phase;

/// How often to look whether the processes that a dead shim left are gone.
constexpr std::chrono::milliseconds remains_period{20};

/// How long after the end of lease and kill grace the agent kills what a shim has not. It gives the
/// shim the time to say itself how the run ended.
constexpr std::chrono::milliseconds enforcement_delay{300};

run_event running_event(const model::run_key& run, const shim_started& started) {
  run_event out;
  out.run = run;
  out.phase = run_phase::running;
  out.time_ns = started.time_ns;
  for (const auto& note : started.notes) out.note += (out.note.empty() ? "" : "; ") + note;
  return out;
}

}  // namespace

live_runs::live_runs(work_thread& thread, std::filesystem::path runs_dir,
                     std::filesystem::path shim, retention kept,
                     std::chrono::milliseconds shim_patience, event_sink sink)
    : thread_(thread),
      runs_dir_(std::move(runs_dir)),
      shim_(std::move(shim)),
      kept_(std::move(kept)),
      shim_patience_(shim_patience),
      sink_(std::move(sink)),
      inotify_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  ARGOSY_CHECK(inotify_);
  thread_.post([this] { thread_.watch(inotify_.get(), [this] { on_folder_events(); }); });
}

live_runs::~live_runs() = default;

std::filesystem::path live_runs::folder_of(const model::run_key& run) const {
  return runs_dir_ / to_string(run);
}

void live_runs::tell(run_event event) {
  std::vector<run_event> events;
  events.push_back(std::move(event));
  sink_(std::move(events));
}

bool live_runs::start(const model::run_key& run, const shim_plan& plan) {
  const auto folder = folder_of(run);
  auto lock = make_run_folder(folder, plan);
  if (!lock) {
    tell(made_event(run, run_phase::refused, reason::backend_error, lock.error().detail));
    return false;
  }
  live_run live{{}, run_facts{plan}};
  watch_folder(run, live);
  // The shim may have begun the command before the next line.
  const auto pending_ns = wall_now_ns();
  auto shim = spawn_shim(shim_, folder, std::move(*lock));
  if (!shim) {
    unwatch_folder(live);
    tell(made_event(run, run_phase::refused, reason::backend_error, shim.error().detail));
    return false;
  }
  live.shim = std::move(*shim);
  thread_.watch(live.shim.pidfd.get(), [this, run] { on_shim_end(run); });
  runs_.emplace(run, std::move(live));
  run_event event;
  event.run = run;
  event.phase = run_phase::pending;
  event.time_ns = pending_ns;
  tell(std::move(event));
  return true;
}

void live_runs::follow(const model::run_key& run, shim_process shim, bool running,
                       const shim_plan& plan) {
  live_run live{std::move(shim), run_facts{plan}, running};
  if (!running) watch_folder(run, live);
  thread_.watch(live.shim.pidfd.get(), [this, run] { on_shim_end(run); });
  runs_.emplace(run, std::move(live));
  if (!running) check_started(run);
}

void live_runs::watch_folder(const model::run_key& run, live_run& live) {
  live.watch = ::inotify_add_watch(inotify_.get(), folder_of(run).c_str(), IN_MOVED_TO);
  if (live.watch >= 0) watches_[live.watch] = run;
}

void live_runs::unwatch_folder(live_run& live) {
  if (live.watch < 0) return;
  ::inotify_rm_watch(inotify_.get(), live.watch);
  watches_.erase(live.watch);
  live.watch = -1;
}

void live_runs::on_folder_events() {
  alignas(inotify_event) char buffer[16384];
  for (;;) {
    const auto count = ::read(inotify_.get(), buffer, sizeof buffer);
    if (count <= 0) return;
    for (std::size_t at = 0; at < static_cast<std::size_t>(count);) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer + at);
      at += sizeof(inotify_event) + event->len;
      const auto found = watches_.find(event->wd);
      if (found == watches_.end()) continue;
      const auto run = found->second;
      check_started(run);
    }
  }
}

void live_runs::check_started(const model::run_key& run) {
  const auto found = runs_.find(run);
  if (found == runs_.end() || found->second.running) return;
  const auto started = read_record<shim_started>(folder_of(run) / run_file::started);
  if (!started) return;
  found->second.running = true;
  unwatch_folder(found->second);
  tell(running_event(run, *started));
}

void live_runs::on_shim_end(const model::run_key& run) {
  const auto found = runs_.find(run);
  if (found == runs_.end()) return;
  check_started(run);
  auto& live = found->second;
  thread_.unwatch(live.shim.pidfd.get());
  unwatch_folder(live);
  // If an earlier agent started the shim, it is not our child, and this does nothing.
  siginfo_t info{};
  ::waitid(P_PIDFD, static_cast<id_t>(live.shim.pidfd.get()), &info, WEXITED | WNOHANG);
  const bool was_running = live.running;
  const auto facts = std::move(live.facts);
  runs_.erase(found);
  const auto status = read_record<shim_status>(folder_of(run) / run_file::status);
  if (!status) {
    kill_remains(folder_of(run));
    finish_lost(run, facts);
    return;
  }
  let_go(run, facts);
  std::vector<run_event> events;
  if (!was_running && status->started_ns > 0)
    events.push_back(running_event(run, {0, 0, status->started_ns, {}}));
  events.push_back(final_event(run, facts.container, *status));
  if (was_running) {
    // The notes of the start were told with the start.
    const auto started = read_record<shim_started>(folder_of(run) / run_file::started);
    const auto told = started ? started->notes.size() : 0;
    auto rest = *status;
    rest.notes.erase(rest.notes.begin(), rest.notes.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                  told, rest.notes.size())));
    events.back() = final_event(run, facts.container, rest);
  }
  sink_(std::move(events));
}

void live_runs::let_go(const model::run_key& run, const run_facts& facts) {
  // Its user will be that of another run, which must not find the way to what this one wrote.
  ::chmod(folder_of(run).c_str(), 0700);
  // What containers wrote lies in layers that nobody can read without their images.
  if (facts.for_storage || facts.is_pod)
    disk_.post([work = folder_of(run) / work_folder] { remove_tree(work); });
  if (gone_) gone_(run, facts.user);
}

void live_runs::renew(const model::run_lease& lease) {
  lease_ = lease;
  arm_enforcement();
}

void live_runs::arm_enforcement() {
  if (enforcement_armed_ || !lease_ || lease_->dead_by() > boot_time::max() - enforcement_delay)
    return;
  enforcement_armed_ = true;
  thread_.call_at(lease_->dead_by() + enforcement_delay, [this] {
    enforcement_armed_ = false;
    if (boot_now() < lease_->dead_by() + enforcement_delay) return arm_enforcement();
    enforce_lease();
  });
}

/// Every shim has ended its run by now, unless somebody stopped it.
void live_runs::enforce_lease() {
  for (auto& [run, live] : runs_) {
    if (live.facts.keep_on_disconnect || live.facts.lapsed) continue;
    live.facts.lapsed = true;
    kill_children_of(live.shim.pid);
    kill_remains(folder_of(run));
    thread_.call_at(boot_now() + shim_patience_, [this, key = run] { force_stop(key); });
  }
}

void live_runs::finish_lost(const model::run_key& run, const run_facts& facts) {
  const auto folder = folder_of(run);
  if (remains_alive(folder)) {
    kill_remains(folder);
    thread_.call_at(boot_now() + remains_period, [this, run, facts] { finish_lost(run, facts); });
    return;
  }
  let_go(run, facts);
  tell(lost_event(run, facts, may_have_executed(folder)));
}

void live_runs::stop(const model::run_key& run, stop_order order) {
  const auto found = runs_.find(run);
  if (found == runs_.end() || found->second.facts.stopped_by) return;
  auto& live = found->second;
  const auto bytes = encode(order);
  const bool written =
      bytes && write_file(folder_of(run) / run_file::stop, *bytes, sync_mode::no).has_value();
  // A full disk takes no order, and without one the shim gives the run its grace to write on. What
  // a killed shim leaves is killed when its end is seen.
  const bool at_once = !written && live.facts.for_storage;
  ::pidfd_send_signal(live.shim.pidfd.get(), at_once ? SIGKILL : SIGTERM, nullptr, 0);
  thread_.call_at(boot_now() + boot_time{order.grace_ns} + shim_patience_,
                  [this, run] { force_stop(run); });
  live.facts.stopped_by = std::move(order);
}

std::vector<storing_run> live_runs::storing() const {
  std::vector<storing_run> out;
  for (const auto& [run, live] : runs_)
    out.push_back({run, live.facts.storage_max, {}, false, live.facts.for_storage});
  return out;
}

void live_runs::end_for_storage(const storage_end& why) {
  const auto found = runs_.find(why.run);
  if (found == runs_.end()) return;
  auto& facts = found->second.facts;
  facts.for_storage = true;
  // A run that is being stopped gets no time to write on.
  if (facts.stopped_by) return force_stop(why.run);
  stop(why.run, {0, why.message, why.reason});
}

bool live_runs::make_room(std::function<bool()> enough) {
  if (kept_count_ == 0) return false;
  disk_.post([this, enough = std::move(enough)] {
    kept_.shed(enough);
    kept_count_ = kept_.size();
  });
  return true;
}

void live_runs::force_stop(const model::run_key& run) {
  const auto found = runs_.find(run);
  if (found == runs_.end()) return;
  kill_remains(folder_of(run));
  ::pidfd_send_signal(found->second.shim.pidfd.get(), SIGKILL, nullptr, 0);
}

void live_runs::stop_all(const std::string& message) {
  for (const auto& [run, live] : runs_) stop(run, {live.facts.grace_ns, message});
}

void live_runs::forget(const model::run_key& run) {
  disk_.post([this, run] {
    // An agent or a machine that was stopped did not take the layers of a pod away.
    std::error_code code;
    if (const auto work = folder_of(run) / work_folder; std::filesystem::exists(work / "w0", code))
      if (const auto plan = read_record<shim_plan>(folder_of(run) / run_file::plan);
          plan && !plan->pod.containers.empty())
        remove_tree(work);
    kept_.add(run);
    kept_count_ = kept_.size();
  });
}

}  // namespace argosy::backends
