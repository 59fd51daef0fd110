// SPDX-License-Identifier: Apache-2.0
// The part of pod_runs that takes pods over which an earlier agent has made.
#include <set>
#include <utility>

#include "runtime/backends/kubernetes/pod_runs.hpp"
#include "runtime/backends/run/records.hpp"

namespace argosy::backends {

using model::run_phase;

namespace {

/// Has the pod of the run looked for by its name. A run that is told to end meanwhile may have one.
template <class Run>
void look_for(Run& run, const model::recorded_run& what, std::vector<std::string> namespaces,
              boot_time now) {
  if (!what.name_space.empty()) namespaces = {what.name_space};
  run.name = pod_of_run(what.run);
  run.name_space = namespaces.back();
  namespaces.pop_back();
  run.elsewhere = std::move(namespaces);
  if (!what.pod_uid.empty()) {
    run.last.emplace();
    run.last->uid = what.pod_uid;
  }
  run.adopted = run.uncertain = run.look = true;
  run.due = now;
}

}  // namespace

std::vector<run_event> pod_runs::adopt(
    const std::vector<model::recorded_run>& known, const std::vector<pod_view>& pods,
    const std::function<bool(const model::recorded_run&)>& never_began,
    const std::vector<std::string>& namespaces, std::int64_t wall_ns, boot_time now) {
  std::set<model::run_key> wanted;
  for (const auto& each : known) wanted.insert(each.run);
  std::set<model::run_key> found_now;
  for (const auto& pod : pods) {
    if (pod.cluster != rules_.cluster || !pod.run) continue;
    if (!wanted.contains(*pod.run)) {
      adopt_stranger(pod, now);
      continue;
    }
    found_now.insert(*pod.run);
    auto& run = *runs_.add(*pod.run).first;
    run.name_space = pod.name_space;
    run.name = pod.name;
    run.grace_seconds = pod.grace_seconds;
    run.adopted = true;
    run.owner.name = pod.owner;
    run.lapses = pod.lapses;
    if (run.lapses) lease_.found(now);
    note(*pod.run, run, pod, wall_ns, now);
  }
  // An agent reaches its control plane before its cluster, or before it may see a namespace.
  if (lease_.has_lapsed()) lapse_all(now, &found_now);
  // One event for each run: the last one says what has become of it. Notes are told later.
  std::map<model::run_key, run_event> found;
  for (auto& event : std::exchange(step_.events, {}))
    if (event.note.empty() && wanted.contains(event.run))
      found[event.run] = std::move(event);
    else
      step_.events.push_back(std::move(event));
  std::vector<run_event> out;
  for (const auto& each : known) {
    if (const auto at = found.find(each.run); at != found.end()) {
      out.push_back(std::move(at->second));
      continue;
    }
    if (!never_began(each)) {
      strangers_.erase(each.run);
      const auto [made, is_new] = runs_.add(each.run);
      const bool is_copy = !is_new && model::is_elsewhere(made->name_space, each.name_space);
      if (is_copy) {
        kept_.erase(made->kept_as);
        ending_strangers_.erase(each.run);
        lapsing_.erase(each.run);
        const bool asking = made->asking;
        *made = {};
        made->asking = made->outdated = asking;
      }
      if (is_new || is_copy) {
        look_for(*made, each, namespaces, now);
      } else if (made->told_end) {
        // It was taken for a stranger, whose end nobody wanted to hear of.
        made->told_end = false;
        made->look = true;
        made->due = now;
      }
      continue;
    }
    run_event event;
    event.run = each.run;
    event.time_ns = wall_ns;
    event.phase = run_phase::refused;
    event.outcome.reason = reason::not_started;
    event.outcome.message = "the agent ended before it had the pod created";
    step_.erased.push_back(each.run);
    out.push_back(std::move(event));
  }
  return out;
}

void pod_runs::set_control_plane(const std::string& id, boot_time now) {
  if (id.empty() || control_plane_ == id) return;
  control_plane_ = id;
  auto waiting = std::exchange(strangers_, {});
  for (const auto& [key, each] : waiting) adopt_stranger(each.pod, now);
}

void pod_runs::adopt_stranger(const pod_view& pod, boot_time now) {
  if (!control_plane_.empty() && pod.control_plane != control_plane_) return;
  if (!control_plane_.empty() && is_final(pod.phase)) return take_stranger(pod, now);
  strangers_.try_emplace(*pod.run, stranger{{}, lease_.grants()}).first->second.pod = pod;
}

/// A pod that nobody here knows may be that of an agent which has taken the cluster over from this
/// one. So it is ended only when the control plane has granted this one a lease since, and one
/// more: the first may have been asked for before.
void pod_runs::end_strangers(boot_time now) {
  if (control_plane_.empty()) return;
  for (auto at = strangers_.begin(); at != strangers_.end();) {
    if (lease_.grants() < at->second.grants + 2) {
      ++at;
      continue;
    }
    const auto pod = std::move(at->second.pod);
    at = strangers_.erase(at);
    take_stranger(pod, now);
  }
}

void pod_runs::take_stranger(const pod_view& pod, boot_time now) {
  const auto [made, is_new] = runs_.add(*pod.run);
  if (!is_new) return;
  auto& run = *made;
  if (!is_final(pod.phase)) ending_strangers_.insert(*pod.run);
  run.name_space = pod.name_space;
  run.name = pod.name;
  run.there = true;
  run.told_end = true;
  run.owner.name = pod.owner;
  run.last = pod;
  if (is_final(pod.phase)) {
    ask_to_save(*pod.run, run);
    drop_at(*pod.run, run, now + rules_.set.keep_pods);
  } else {
    begin_end(run, {run_phase::stopped, shim_status::stopped, {}, pod.grace_seconds}, now);
  }
}

}  // namespace argosy::backends
