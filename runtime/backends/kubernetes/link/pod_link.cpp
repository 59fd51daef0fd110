// SPDX-License-Identifier: Apache-2.0
// The part of pod_runs for times in which nobody knows how the pods are: no wait goes on, nothing
// is ended, and what was certainly not made is given back.
#include <algorithm>
#include <utility>

#include "runtime/backends/kubernetes/pod_runs.hpp"
#include "runtime/model/namespace_part.hpp"

namespace argosy::backends {

using model::run_phase;

bool pod_runs::is_untold(const std::string& name_space) const {
  return away_ || untold_.contains(name_space) || untold_.contains({});
}

void pod_runs::pods_untold(const std::string& name_space, boot_time now) {
  if (!untold_.insert(name_space).second) return;
  runs_.change(
      [&](const auto&, const auto& run) { return !run.told_end && is_untold(run.name_space); },
      [now](const auto&, auto& run) { run.watch.pause(now); });
}

void pod_runs::pods_told(const std::string& name_space, boot_time now) {
  if (untold_.erase(name_space) > 0) resume_told(now);
}

void pod_runs::resume_told(boot_time now) {
  runs_.change([&](const auto&,
                   const auto& run) { return run.watch.is_paused() && !is_untold(run.name_space); },
               [now](const auto&, auto& run) { run.watch.resume(now); });
}

pod_runs::ending pod_runs::given_back_unmade() const {
  ending out{run_phase::refused, model::reason_cluster_refused,
             away_->why + ", and its pod was not made", 1};
  out.category = model::refusal_to_all::server;
  return out;
}

void pod_runs::server_lost(boot_time since, const std::string& why, std::int64_t wall_ns,
                           boot_time now) {
  away_ = absence{since, why};
  const auto open = [](const auto&, const auto& run) { return !run.told_end; };
  runs_.change(open, [&](const auto& key, auto& run) {
    run.watch.pause(since);
    if (run.there)
      look_after(key, run, wall_ns, now);
    else if (!run.end && run.is_unmade())
      begin_end(run, given_back_unmade(), now);
    else if (!run.end)
      tell_wait(key, run, "server",
                why + ". Its pod may have been made, which is looked up once it answers", wall_ns);
  });
}

void pod_runs::server_back(boot_time now) {
  if (!away_) return;
  const auto since = std::exchange(away_, std::nullopt)->since;
  runs_.change(
      [](const auto&, const auto& run) { return run.first_try && !run.there; },
      [&](const auto&, auto& run) { *run.first_try += now - std::max(since, *run.first_try); });
  resume_told(now);
  server_answers(now);
}

void pod_runs::give_up(pod_run& run, ending why, boot_time now) {
  why.if_absent = run.uncertain;
  begin_end(run, std::move(why), now);
  run.look = run.uncertain;
  refuse_others(run, now);
}

void pod_runs::refuse_others(const pod_run& like, boot_time now) {
  if (!like.end || !model::is_refused_to_all(like.end->category)) return;
  const auto part =
      model::part_refused(like.end->category, like.name_space, like.attached, like.owner.name);
  if (!part) return;
  auto why = *like.end;
  why.if_absent = false;
  const auto waits = [&](const auto&, const pod_run& run) {
    if (run.end || run.told_end || !run.is_unmade() || run.name_space != like.name_space)
      return false;
    const auto own = model::parts_of(run.name_space, run.attached, run.owner.name);
    return std::ranges::find(own, *part) != own.end();
  };
  runs_.change(waits, [&](const auto&, pod_run& run) { begin_end(run, why, now); });
}

void pod_runs::withdraw_end(pod_run& run, boot_time now) {
  run.end.reset();
  run.uncertain = false;
  run.tries = 0;
  run.watch.go_on(now);
}

}  // namespace argosy::backends
