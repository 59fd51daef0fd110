// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/simulated/simulated_backend.hpp"

#include <algorithm>

#include "runtime/backends/platform.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/backends/run/records.hpp"
#include "runtime/base/planted.hpp"

namespace argosy::backends {

namespace {

using model::run_phase;

/// Ends of runs are rounded up to multiples of this, so that many runs end together and are told
/// together.
constexpr boot_time tick = std::chrono::milliseconds{10};
constexpr int term_signal = 15;

boot_time round_up(boot_time when) {
  return boot_time{(when.count() + tick.count() - 1) / tick.count() * tick.count()};
}

}  // namespace

simulated_backend::simulated_backend(simulated_config config, event_sink sink)
    : config_(std::move(config)), sink_(std::move(sink)), manual_now_(config_.start) {
  if (!config_.manual_time) thread_ = std::thread{[this] { work(); }};
}

simulated_backend::~simulated_backend() {
  simulated_backend::shutdown();
}

void simulated_backend::shutdown() {
  {
    const std::lock_guard guard{mutex_};
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

boot_time simulated_backend::now() const {
  return config_.manual_time ? manual_now_ : boot_now();
}

std::int64_t simulated_backend::wall(boot_time when) const {
  if (config_.manual_time) return config_.wall_offset_ns + when.count();
  return wall_now_ns() - (boot_now() - when).count();
}

void simulated_backend::wake() {
  wake_.notify_one();
}

result<std::vector<run_event>> simulated_backend::adopt(
    const std::vector<model::recorded_run>& known) {
  std::vector<run_event> out;
  for (const auto& each : known) {
    run_event event;
    event.run = each.run;
    event.phase = run_phase::refused;
    event.outcome.reason = reason::not_started;
    event.outcome.message = "simulated runs end with their agent";
    event.time_ns = wall(now());
    out.push_back(std::move(event));
  }
  return out;
}

void simulated_backend::add_event(const model::run_key& run, run_phase phase,
                                  model::run_outcome outcome, boot_time when) {
  untold_.push_back({run, phase, std::move(outcome), {}, wall(when)});
}

void simulated_backend::start(run_launch run) {
  const auto& order = *run.order;
  const auto plan = plan_simulated_run(order.run, run.plan.annotations, config_.runs);
  const std::lock_guard guard{mutex_};
  const auto time = now();
  if (!plan) {
    add_event(order.run, run_phase::refused,
              {std::nullopt, 0, reason::unsupported, plan.error().detail}, time);
    return wake();
  }
  sim_run added;
  added.plan = *plan;
  added.deadline_seconds = order.deadline_seconds;
  added.keep_on_disconnect = order.keep_on_disconnect;
  const auto [at, is_new] = runs_.emplace(order.run, added);
  if (!is_new) return;
  add_event(order.run, run_phase::pending, {}, time);
  if (config_.runs.start_delay > boot_time{0}) {
    at->second.next = round_up(time + config_.runs.start_delay);
    due_[at->second.next].push_back(order.run);
  } else {
    begin(order.run, at->second, time);
  }
  wake();
}

void simulated_backend::begin(const model::run_key& run, sim_run& state, boot_time when) {
  auto length = state.plan.runtime;
  if (state.deadline_seconds > 0 && length > std::chrono::seconds{state.deadline_seconds}) {
    length = std::chrono::seconds{state.deadline_seconds};
    state.too_long = true;
  }
  state.running = true;
  state.next = round_up(when + length);
  due_[state.next].push_back(run);
  add_event(run, run_phase::running, {}, when);
}

void simulated_backend::end_stopped(const model::run_key& run, const char* why,
                                    const std::string& message, boot_time when) {
  if (runs_.erase(run) == 0) return;
  add_event(run, run_phase::stopped, {128 + term_signal, term_signal, why, message}, when);
}

void simulated_backend::stop(const model::stop_run& order, std::chrono::nanoseconds) {
  const std::lock_guard guard{mutex_};
  end_stopped(order.run, shim_status::stopped, order.reason, now());
  wake();
}

void simulated_backend::stop_all(const std::string& why) {
  const std::lock_guard guard{mutex_};
  std::vector<model::run_key> all;
  for (const auto& [run, state] : runs_) all.push_back(run);
  std::sort(all.begin(), all.end());
  for (const auto& run : all) end_stopped(run, shim_status::stopped, why, now());
  wake();
}

void simulated_backend::renew(const model::run_lease& lease) {
  const std::lock_guard guard{mutex_};
  lease_ = std::max(lease_, lease.until);
  wake();
}

std::optional<boot_time> simulated_backend::next_due_locked() const {
  if (!untold_.empty()) return boot_time{0};
  if (runs_.empty()) return std::nullopt;
  return lease_ == lapsed_ ? due_.begin()->first : std::min(due_.begin()->first, lease_);
}

std::optional<boot_time> simulated_backend::next_due() const {
  const std::lock_guard guard{mutex_};
  return next_due_locked();
}

void simulated_backend::begin_or_end(boot_time when, const std::vector<model::run_key>& due) {
  for (const auto& run : due) {
    const auto found = runs_.find(run);
    if (found == runs_.end()) continue;  // The run was stopped before.
    if (!found->second.running) {
      begin(run, found->second, when);
      continue;
    }
    const auto state = found->second;
    runs_.erase(found);
    end(run, state, when);
  }
}

void simulated_backend::end(const model::run_key& run, const sim_run& state, boot_time when) {
  if (state.too_long)
    add_event(run, run_phase::failed,
              {128 + term_signal, term_signal, shim_status::deadline_exceeded,
               "ran longer than its deadline of " + std::to_string(state.deadline_seconds) + " s"},
              when);
  else if (state.plan.exit_code != 0)
    add_event(run, run_phase::failed,
              {state.plan.exit_code, 0, shim_status::failed,
               "exited with code " + std::to_string(state.plan.exit_code)},
              when);
  else
    add_event(run, run_phase::succeeded, {0, 0, shim_status::completed, {}}, when);
}

void simulated_backend::end_by_lease() {
  lapsed_ = lease_;
  if (is_planted(planted_fault::ignores_its_lease)) return;
  std::vector<model::run_key> all;
  for (const auto& [run, state] : runs_)
    if (!state.keep_on_disconnect) all.push_back(run);
  std::sort(all.begin(), all.end());
  for (const auto& run : all)
    end_stopped(run, shim_status::lease_expired,
                "the agent had no contact with the control plane until the lease ran out", lease_);
}

void simulated_backend::happen(boot_time until) {
  while (!runs_.empty()) {
    const auto next = due_.begin()->first;
    if (lease_ != lapsed_ && lease_ <= until && lease_ < next) {
      end_by_lease();
    } else if (next <= until) {
      const auto due = std::move(due_.begin()->second);
      due_.erase(due_.begin());
      begin_or_end(next, due);
    } else {
      return;
    }
  }
  due_.clear();
}

void simulated_backend::advance(boot_time to) {
  std::vector<run_event> events;
  {
    const std::lock_guard guard{mutex_};
    manual_now_ = std::max(manual_now_, to);
    happen(manual_now_);
    events.swap(untold_);
  }
  if (!events.empty()) sink_(std::move(events));
}

void simulated_backend::work() {
  std::unique_lock guard{mutex_};
  while (!stopping_) {
    const auto due = next_due_locked();
    if (!due) {
      wake_.wait(guard);
      continue;
    }
    const auto wait = *due - boot_now();
    if (wait > boot_time{0}) {
      wake_.wait_for(guard, wait);
      continue;
    }
    happen(boot_now());
    std::vector<run_event> events;
    events.swap(untold_);
    guard.unlock();
    if (!events.empty()) sink_(std::move(events));
    guard.lock();
  }
}

std::vector<model::node_info> simulated_backend::nodes() const {
  std::vector<model::node_info> out;
  for (const auto& each : config_.nodes) {
    for (std::uint32_t i = 1; i <= each.count; ++i) {
      model::node_info node;
      node.name = model::node_name{each.name + "-" + std::to_string(i)};
      node.total = each.resources;
      node.allocatable = each.resources;
      node.labels = each.labels;
      node.labels.emplace_back("kubernetes.io/hostname", node.name);
      add_platform(node.labels);
      std::sort(node.labels.begin(), node.labels.end());
      node.taints = each.taints;
      out.push_back(std::move(node));
    }
  }
  return out;
}

void simulated_backend::read_log(const model::log_request& request, log_taker take) const {
  model::log_chunk out;
  out.next_offset = request.offset;
  {
    const std::lock_guard guard{mutex_};
    out.end = !runs_.contains(request.run);
  }
  take(std::move(out));
}

}  // namespace argosy::backends
