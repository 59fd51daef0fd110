// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/pod_runs.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "runtime/backends/run/records.hpp"

namespace argosy::backends {

namespace {

using model::run_phase;
constexpr boot_time never = boot_time::max();

boot_time after(boot_time now, boot_time span) {
  return now > never - span ? never : now + span;
}

std::int64_t whole_seconds(boot_time span) {
  return std::max<std::int64_t>(std::chrono::ceil<std::chrono::seconds>(span).count(), 1);
}

}  // namespace

void pod_runs::launch(const model::start_run& order, const nlohmann::json& pod,
                      const kube::acting_user& owner, bool held, boot_time now) {
  const auto [at, is_new] = runs_.try_emplace(order.run);
  if (!is_new) return;
  auto& run = at->second;
  const auto& meta = pod.at("metadata");
  run.name_space = meta.value("namespace", "");
  run.name = meta.value("name", "");
  run.manifest = pod.dump();
  run.grace_seconds = order.grace_seconds;
  run.keep_on_disconnect = order.keep_on_disconnect;
  run.owner = owner;
  run.held = held;
  run.first_try = now;
  run.due = now;
}

void pod_runs::release(const model::run_key& key, boot_time now) {
  const auto found = runs_.find(key);
  if (found == runs_.end() || !std::exchange(found->second.held, false)) return;
  found->second.first_try = now;
  if (!found->second.end) found->second.due = now;
}

void pod_runs::refuse(const model::run_key& key, const refusal& why, boot_time now) {
  const auto found = runs_.find(key);
  if (found == runs_.end() || !found->second.held) return;
  const auto phase = why.kind == refusal_kind::for_good ? run_phase::failed : run_phase::refused;
  begin_end(found->second, {phase, why.reason, why.message, 1}, now);
}

bool pod_runs::is_open(const model::run_key& key) const {
  const auto found = runs_.find(key);
  return found != runs_.end() && !found->second.told_end;
}

void pod_runs::begin_end(pod_run& run, ending why, boot_time now) {
  if (run.end) return;
  run.end = std::move(why);
  run.look = false;
  run.tries = 0;
  run.due = now;
  run.watch.end(std::chrono::seconds{run.end->grace_seconds}, now);
}

void pod_runs::stop(const model::run_key& key, const std::string& message, boot_time grace,
                    boot_time now) {
  const auto found = runs_.find(key);
  if (found == runs_.end() || found->second.told_end) return;
  auto& run = found->second;
  if (!run.end) run.save = run.there && run.last && run.last->began;
  begin_end(run, {run_phase::stopped, shim_status::stopped, message, whole_seconds(grace)}, now);
}

void pod_runs::stop_all(const std::string& message, boot_time now) {
  for (auto& [key, run] : runs_)
    if (!run.told_end)
      begin_end(run, {run_phase::stopped, shim_status::stopped, message, run.grace_seconds}, now);
}

void pod_runs::renew(const model::run_lease& lease) {
  if (lease_ && lease.until < lease_->until) return;
  lease_ = lease;
  lapsed_ = false;
}

std::int64_t pod_runs::lease_left(boot_time now) const {
  return whole_seconds(std::max(lease_->dead_by() - now, boot_time{0}));
}

/// What is being ended already gets no longer than the lease leaves it.
void pod_runs::lapse(boot_time now) {
  const bool first = !std::exchange(lapsed_, true);
  const auto left = lease_left(now);
  for (auto& [key, run] : runs_) {
    if (run.told_end || run.keep_on_disconnect) continue;
    const auto grace = std::min(std::max<std::int64_t>(run.grace_seconds, 1), left);
    if (first && run.end && run.end->grace_seconds > grace) {
      run.end->grace_seconds = grace;
      run.due = now;
    }
    begin_end(run,
              {run_phase::stopped, shim_status::lease_expired,
               "the agent had no contact with the control plane until the lease ran out", grace},
              now);
  }
}

void pod_runs::drop_at(const model::run_key& key, pod_run& run, boot_time when) {
  if (run.drop) return;
  run.drop = when;
  kept_.push_back(key);
  while (kept_.size() > rules_.keep_max) {
    if (const auto oldest = runs_.find(kept_.front()); oldest != runs_.end())
      oldest->second.drop = boot_time{};
    kept_.erase(kept_.begin());
  }
}

void pod_runs::forget(const model::run_key& key, boot_time now) {
  const auto found = runs_.find(key);
  if (found == runs_.end() || !found->second.told_end) return;
  if (found->second.there)
    drop_at(key, found->second, after(now, rules_.keep));
  else
    vanish(key, 0);
}

void pod_runs::tell(const model::run_key& key, pod_run& run, run_phase phase,
                    model::run_outcome outcome, std::int64_t time_ns) {
  if (run.told_end || phase <= run.told) return;
  if (phase == run_phase::failed) classify(run, outcome);
  run.told = phase;
  run.told_end = is_final(phase);
  step_.events.push_back({key, phase, std::move(outcome), {}, time_ns});
}

void pod_runs::note(const model::run_key& key, pod_run& run, const pod_view& pod,
                    std::int64_t wall_ns, boot_time now) {
  if (!run.there && run.end) run.due = now;
  run.there = true;
  run.manifest.clear();
  run.last = pod;
  const bool tells_since = run.adopted && pod.waits_since_ns > 0;
  const auto waited = boot_time{tells_since ? wall_ns - pod.waits_since_ns : 0};
  run.watch.see(pod, std::clamp(waited, boot_time{0}, now), now);
  const auto began_ns = pod.started_ns != 0 ? pod.started_ns : wall_ns;
  if (!is_final(pod.phase)) {
    if (!run.end) tell(key, run, pod.phase, {}, began_ns);
    return look_after(key, run, wall_ns, now);
  }
  const auto ended_ns = pod.finished_ns != 0 ? pod.finished_ns : wall_ns;
  auto outcome = pod.outcome;
  auto phase = pod.phase;
  if (run.end && run.end->phase == run_phase::stopped) {
    phase = run_phase::stopped;
    outcome.reason = run.end->reason;
    outcome.message = run.end->message;
  } else if (run.end && !pod.began) {
    phase = run.end->phase;
    outcome = {std::nullopt, 0, run.end->reason, run.end->message};
  } else if (run.end && run.end->prevails && phase == run_phase::failed) {
    outcome.reason = run.end->reason;
    outcome.message = run.end->message;
  }
  tell(key, run, phase, std::move(outcome), ended_ns);
}

void pod_runs::seen(const pod_view& pod, std::int64_t wall_ns, boot_time now) {
  if (!is_ours(pod) || !pod.run) return;
  const auto found = runs_.find(*pod.run);
  if (found == runs_.end()) return adopt_stranger(pod, now);
  if (found->second.name != pod.name || found->second.name_space != pod.name_space) return;
  note(*pod.run, found->second, pod, wall_ns, now);
}

void pod_runs::gone(const pod_view& pod, std::int64_t wall_ns, boot_time now) {
  if (!is_ours(pod) || !pod.run) return;
  strangers_.erase(*pod.run);
  const auto found = runs_.find(*pod.run);
  if (found == runs_.end() || found->second.name != pod.name) return;
  note(*pod.run, found->second, pod, wall_ns, now);
  vanish(*pod.run, wall_ns);
}

void pod_runs::vanish(const model::run_key& key, std::int64_t wall_ns) {
  const auto found = runs_.find(key);
  if (found == runs_.end()) return;
  auto& run = found->second;
  if (run.end) {
    model::run_outcome outcome{std::nullopt, 0, run.end->reason, run.end->message};
    auto phase = run.end->phase;
    if (phase == run_phase::refused && run.last && run.last->began) {
      phase = run_phase::failed;
      outcome.reason = reason::lost;
    }
    tell(key, run, phase, std::move(outcome), wall_ns);
  } else {
    tell(key, run, run_phase::failed, unseen_end(run), wall_ns);
  }
  std::erase(kept_, key);
  runs_.erase(found);
  step_.erased.push_back(key);
}

void pod_runs::listed(const std::string& name_space, const std::vector<pod_view>& pods,
                      std::int64_t wall_ns, boot_time now) {
  std::set<model::run_key> present;
  for (const auto& pod : pods) {
    if (pod.run) present.insert(*pod.run);
    seen(pod, wall_ns, now);
  }
  // A pod that was created while the list was made may be missing in it.
  for (auto& [key, run] : runs_) {
    const bool covered = name_space.empty() || run.name_space == name_space;
    if (!covered || !run.there || present.contains(key)) continue;
    run.look = true;
    run.due = now;
  }
}

std::optional<pod_place> pod_runs::place(const model::run_key& key) const {
  const auto found = runs_.find(key);
  if (found == runs_.end() || !found->second.there) return std::nullopt;
  const auto& run = found->second;
  return pod_place{run.name_space, run.name, run.last ? run.last->container : std::string{},
                   run.last && is_final(run.last->phase)};
}

pod_step pod_runs::take() {
  return std::exchange(step_, {});
}

boot_time pod_runs::due_of(const pod_run& run) const {
  if (run.asking) return never;
  if (run.look) return run.due;
  if (run.end) return run.due;
  if (run.told_end) return run.drop ? std::max(*run.drop, run.due) : never;
  if (!run.there) return run.held ? never : run.due;
  return never;
}

boot_time pod_runs::next_due() const {
  if (!step_.requests.empty() || !step_.events.empty() || !step_.erased.empty() ||
      !step_.outputs.empty())
    return boot_time{0};
  auto due = never;
  bool leased = false;
  for (const auto& [key, run] : runs_) {
    due = std::min({due, due_of(run), run.told_end ? never : run.watch.due()});
    leased = leased || (!run.told_end && !run.keep_on_disconnect);
  }
  if (!leased || !lease_) return due;
  if (!lapsed_) return std::min(due, lease_->until);
  return due;
}

}  // namespace argosy::backends
