// SPDX-License-Identifier: Apache-2.0
// The leases of a cluster: how long its agent may hold one, and what the QUEUEs are told, and
// answer, when the leases of runs have lapsed.
#include <algorithm>
#include <utility>

#include "runtime/base/planted.hpp"
#include "runtime/ledger/cluster/cluster_core.hpp"
#include "runtime/model/lease.hpp"

namespace argosy::ledger {

namespace {

/// Says of a run that nobody but an earlier agent can speak for it before that time.
std::string wait_for_lease(const model::cluster_info& cluster, model::incarnation holder,
                           std::int64_t until_ns) {
  // An incarnation is the time at which it was given, unless clocks were set.
  const auto given_ns = static_cast<std::int64_t>(holder.value);
  const auto since =
      given_ns == 0 ? std::string{} : " (it joined at " + model::utc_text(given_ns) + ")";
  return "cluster '" + cluster.name +
         "' has another agent now, which does not know of this run. The earlier one" + since +
         " may hold its lease until " + model::utc_text(until_ns) +
         ", and what has become of the run is settled then";
}

}  // namespace

boot_time cluster_core::lease_horizon() const noexcept {
  if (is_planted(planted_fault::lapses_early)) return last_grant_ + config_.lease / 2;
  const auto grace =
      is_planted(planted_fault::forgets_kill_grace) ? boot_time{} : config_.kill_grace;
  const auto own = model::lapse_span(config_.lease, grace, config_.clock_drift, config_.margin);
  return std::max(last_grant_ + own, inherited_until_);
}

/// Whether the agent may hold a longer lease than this process grants.
bool cluster_core::grants_longer(const model::cluster_info& info) const noexcept {
  return info.lease_ns > config_.lease.count() || info.kill_grace_ns > config_.kill_grace.count();
}

/// The span of the longest lease that an agent may hold, whichever leader granted it.
boot_time cluster_core::longest_span() const noexcept {
  return model::lapse_span(std::max(config_.lease, boot_time{info_.lease_ns}),
                           std::max(config_.kill_grace, boot_time{info_.kill_grace_ns}),
                           config_.clock_drift, config_.margin);
}

/// Writes down what the agent may hold from now on. It is durable before the agent gets an answer.
/// The longer lease of an older leader goes on until it has passed, since the answer may be lost
/// and agents never shorten a lease.
/// `lapse` counts for runs that are leased from now on, since older pods do not know of it.
void cluster_core::note_leases(model::cluster_info& info, bool lapse, std::int64_t now_ns,
                               boot_time now) const {
  const bool inherited = now < inherited_until_;
  info.lease_ns = std::max(config_.lease.count(), inherited ? info_.lease_ns : 0);
  info.kill_grace_ns = std::max(config_.kill_grace.count(), inherited ? info_.kill_grace_ns : 0);
  info.lapse_since_ns = lapse ? info_.lapse_since_ns : 0;
  if (!lapse || info.lapse_since_ns != 0) return;
  info.lapse_since_ns = std::max<std::int64_t>(now_ns, 1);
  for (const auto& [key, run] : runs_)
    info.lapse_since_ns = std::max(info.lapse_since_ns, run.desired.start.leased_ns + 1);
}

bool cluster_core::may_be_over(const tracked& run) noexcept {
  return run.lapsed != lapse::none && run.lapsed != lapse::taken;
}

void cluster_core::expire(std::int64_t now_ns, boot_time now, effect_list& effects) {
  report_map waits;
  for (auto& [key, at] : lapsing_) {
    const auto until = hello_.finds ? at.find_at : at.over;
    const bool is_long = until != boot_time::max() && until - now > config_.resend_after;
    if (!is_long || !online() || !trouble_.why.empty() || std::exchange(at.told, true)) continue;
    const auto& start = runs_.at(key).desired.start;
    auto& report = waits[start.queue].emplace_back();
    report.run = key;
    report.queue = start.queue;
    report.time_ns = now_ns;
    report.note = wait_for_lease(info_, at.holder, now_ns + (until - now).count());
    report.trace = start.trace;
  }
  emit(std::move(waits), effects);
  std::map<std::pair<model::queue_name, bool>, std::vector<model::run_key>> lapsed;
  // Before its hello the present agent may have runs that the last leader took for lapsing.
  const bool said_hello = session_ || left_;
  const auto tell = [&](const model::run_key& key, tracked& run) {
    if (run.lapsed != lapse::none && run.lapsed != lapse::unknown) return;
    run.lapsed = lapse::told;
    const bool abandoned = said_hello && lapsing_.contains(key);
    lapsed[{run.desired.start.queue, abandoned}].push_back(key);
  };
  // Pods go on though their agent is dead: only an agent that comes back can say that they have
  // ended, or an operator who forgets the cluster. Those that it was to end itself are over, but
  // for runs of an older incarnation, which leaves its pods to its successor.
  const bool outlive = info_.traits().outlives_agent;
  if (now >= lease_horizon())
    for (auto& [key, run] : runs_)
      if (!outlive || (pods_lapse(info_, run.desired.start.leased_ns) && !lapsing_.contains(key)))
        tell(key, run);
  for (const auto& [key, at] : lapsing_)
    if (now >= at.over) tell(key, runs_.at(key));
  // No start of these runs was ordered since their leases lapsed, so that they are over even if the
  // agent has a new lease.
  for (const auto& key : std::exchange(tell_again_, {}))
    if (const auto found = runs_.find(key);
        found != runs_.end() && found->second.lapsed == lapse::unknown)
      tell(key, found->second);
  for (auto& [to, runs] : lapsed)
    effects.emplace_back(expire_leases{to.first, std::move(runs), to.second});
}

/// The agent has found all runs of the cluster that there are: those which were sent to an older
/// incarnation and are not among them are over. One that can look for them by name has to, since
/// whoever changes the labels of a pod hides it.
void cluster_core::settle_lapsing(const model::cluster_info& told, boot_time now) {
  if (!told.traits().outlives_agent) return;
  for (auto& [key, at] : lapsing_) {
    auto& when = hello_.finds ? at.find_at : at.over;
    when = std::min(when, now);
  }
}

void cluster_core::expired(const std::vector<model::run_key>& runs) {
  for (const auto& key : runs) {
    const auto found = runs_.find(key);
    if (found == runs_.end()) continue;
    auto& lapsed = found->second.lapsed;
    if (lapsed == lapse::told)
      lapsed = lapse::taken;
    else if (lapsed == lapse::overtaken)
      lapsed = lapse::none;
  }
}

void cluster_core::not_expired(const std::vector<model::run_key>& runs) {
  for (const auto& key : runs) {
    const auto found = runs_.find(key);
    if (found == runs_.end() || !may_be_over(found->second)) continue;
    found->second.lapsed = lapse::unknown;
    tell_again_.push_back(key);
  }
}

}  // namespace argosy::ledger
