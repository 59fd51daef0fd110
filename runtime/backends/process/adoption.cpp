// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/process/adoption.hpp"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <optional>
#include <thread>
#include <unordered_set>

#include "runtime/backends/process/pidfd.hpp"
#include "runtime/backends/run/cgroup.hpp"

namespace argosy::backends {

namespace {

namespace fs = std::filesystem;
using model::run_phase;

constexpr std::chrono::milliseconds kill_wait{5000};
constexpr std::chrono::milliseconds kill_period{5};

void wait_until_gone(const fs::path& folder) {
  for (auto waited = kill_wait * 0; remains_alive(folder) && waited < kill_wait;
       waited += kill_period) {
    kill_remains(folder);
    std::this_thread::sleep_for(kill_period);
  }
}

/// Removes a control group, which is possible only when the last process that was killed has gone.
void clear_cgroup(const std::string& path) {
  for (auto waited = kill_wait * 0; cgroup_populated(path) && waited < kill_wait;
       waited += kill_period) {
    kill_cgroup(path);
    std::this_thread::sleep_for(kill_period);
  }
  remove_cgroup(path);
}

/// The shim of the folder if it lives.
result<std::optional<shim_process>> living_shim(const fs::path& folder) {
  const auto alive = shim_alive(folder);
  if (!alive) return fail(alive.error());
  if (!*alive) return std::nullopt;
  auto shim = find_shim(folder);
  if (shim) return std::optional{std::move(*shim)};
  if (shim.error().code == ec::not_found) return std::nullopt;
  return fail(std::move(shim.error()));
}

/// Kills what lives of a run that the agent's store does not know, since that store was lost.
result<void> kill_stray(const fs::path& folder) {
  const auto shim = living_shim(folder);
  if (!shim) return fail(shim.error());
  if (!*shim) return {};
  ::pidfd_send_signal((*shim)->pidfd.get(), SIGKILL, nullptr, 0);
  pollfd end{(*shim)->pidfd.get(), POLLIN, 0};
  ::poll(&end, 1, static_cast<int>(kill_wait.count()));
  kill_remains(folder);
  wait_until_gone(folder);
  return {};
}

run_event alive_event(const model::run_key& run, const fs::path& folder, bool& running) {
  run_event out;
  out.run = run;
  const auto started = read_record<shim_started>(folder / run_file::started);
  running = started.has_value();
  out.phase = running ? run_phase::running : run_phase::pending;
  out.time_ns = running ? started->time_ns : wall_now_ns();
  return out;
}

run_event dead_event(const model::run_key& run, const fs::path& folder, bool same_boot) {
  kill_remains(folder);
  wait_until_gone(folder);
  std::error_code code;
  const bool has_lock = fs::exists(folder / run_file::lock, code);
  if (same_boot && (!has_lock || !may_have_executed(folder)))
    return made_event(run, run_phase::refused, reason::not_started,
                      "the agent stopped before it executed the command");
  return made_event(run, run_phase::failed, reason::lost,
                    same_boot ? "the run's shim was killed; how the command ended is not known"
                              : "the machine was restarted while the run was alive");
}

/// A run whose end is only guessed would run twice, so that what cannot be found out fails.
result<void> adopt_known(const model::run_key& run, const fs::path& runs_dir, bool same_boot,
                         adoption& out) {
  const auto folder = runs_dir / to_string(run);
  // The order matters: a shim that ends meanwhile has written its status before.
  auto shim = living_shim(folder);
  if (!shim) return fail(std::move(shim.error()));
  if (*shim) {
    adopted_run alive{run, std::move(**shim), false, {}};
    if (auto plan = read_record<shim_plan>(folder / run_file::plan)) alive.plan = std::move(*plan);
    out.events.push_back(alive_event(run, folder, alive.running));
    out.alive.push_back(std::move(alive));
    return {};
  }
  const auto status = read_record<shim_status>(folder / run_file::status);
  if (status) {
    const auto plan = read_record<shim_plan>(folder / run_file::plan);
    out.events.push_back(final_event(run, plan ? plan->container : std::string{}, *status));
  } else if (status.error().code == ec::internal) {
    return fail(status.error());
  } else {
    out.events.push_back(dead_event(run, folder, same_boot));
  }
  return {};
}

}  // namespace

result<adoption> adopt_runs(const fs::path& runs_dir, const std::string& cgroup, bool same_boot,
                            const std::vector<model::recorded_run>& known) {
  adoption out;
  std::unordered_set<model::run_key> expected;
  for (const auto& each : known) expected.insert(each.run);
  for (const auto& each : known)
    if (auto adopted = adopt_known(each.run, runs_dir, same_boot, out); !adopted)
      return fail(std::move(adopted.error()));

  std::vector<std::pair<fs::file_time_type, model::run_key>> others;
  std::error_code code;
  for (fs::directory_iterator it{runs_dir, code}, end; !code && it != end; it.increment(code)) {
    const auto run = parse_run_folder(it->path().filename().string());
    if (!run || expected.contains(*run)) continue;
    std::error_code ignored;
    others.emplace_back(fs::last_write_time(it->path(), ignored), *run);
    if (auto killed = kill_stray(it->path()); !killed) return fail(std::move(killed.error()));
  }
  if (code) return fail(system_error("read '" + runs_dir.string() + "'", code.value()));
  std::sort(others.begin(), others.end());
  for (const auto& [time, run] : others) out.kept.push_back(run);

  if (cgroup.empty()) return out;
  for (const auto& name : cgroup_children(cgroup)) {
    const auto run = parse_run_folder(name);
    if (run && expected.contains(*run)) continue;
    clear_cgroup(cgroup + "/" + name);
  }
  return out;
}

}  // namespace argosy::backends
