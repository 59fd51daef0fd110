// SPDX-License-Identifier: Apache-2.0
// This file writes a world as text.
#include "tests/oracle/slow_world.hpp"

#include <sstream>

namespace argosy::oracle {

namespace {

constexpr std::array<const char*, column_count> column_names = {
    "cost",       "selection", "eviction",   "evictedFirst",
    "queueOrder", "jobOrder",  "node order", "gangs"};

template <class List, class Show>
std::string joined(const List& list, const char* between, Show show) {
  std::string text;
  for (const auto& entry : list) text += (text.empty() ? "" : between) + show(entry);
  return text.empty() ? "-" : text;
}

std::string taints_text(const std::vector<spot>& list, const char* between = ",") {
  return joined(list, between,
                [](const spot& t) { return t.key + "=" + t.value + ":" + t.effect; });
}

std::string labels_text(const std::map<std::string, std::string>& list) {
  return joined(list, ",", [](const auto& l) { return l.first + "=" + l.second; });
}

std::string leave_text(const std::vector<leave>& list) {
  return joined(list, ",", [](const leave& t) {
    const auto key = t.key.empty() ? "*" : t.key;
    return key + (t.exists ? "" : "=" + t.value) + (t.effect.empty() ? "" : ":" + t.effect);
  });
}

std::string term_text(const std::vector<demand_rule>& term) {
  return joined(term, ";", [](const demand_rule& r) {
    const auto values = joined(r.values, "|", [](const std::string& v) { return v; });
    return r.label + ":" + r.op + (r.values.empty() ? "" : ":" + values);
  });
}

std::string amounts_text(const amounts& a) {
  return std::to_string(a[0]) + " " + std::to_string(a[1]) + " " + std::to_string(a[2]);
}

void write_settings(std::ostream& out, const world& w) {
  const auto& r = w.rules;
  out << "# preset " << kind_names[static_cast<std::size_t>(r.preset)] << ", seed " << r.seed;
  if (r.tokens != no_limit) out << ", tokens " << r.tokens;
  if (r.decisions != 0) out << ", decisions " << r.decisions;
  if (r.queue_decisions != 0) out << ", decisions of a queue " << r.queue_decisions;
  if (!r.default_label.empty()) out << ", default uniformity label " << r.default_label;
  if (r.eviction_probability < 1) out << ", eviction probability " << r.eviction_probability;
  if (r.lottery_only) out << ", lottery only";
  if (r.direct_slices) out << ", direct slices";
  if (r.slice_batch != 200) out << ", slice batch " << r.slice_batch;
  for (const auto& cluster : r.closed) out << ", closed " << cluster;
  for (std::size_t i = 0; i < column_count; ++i)
    if (r.columns[i])
      out << ", " << column_names[i] << " of "
          << kind_names[static_cast<std::size_t>(*r.columns[i])];
  out << "\n";
  for (const auto& c : w.classes)
    out << "# class " << c.name << " " << c.priority << (c.fair ? " fair" : "")
        << (c.urgent ? " urgent" : "") << "\n";
  const auto line = [&](const char* key, auto value) {
    out << "C " << key << " " << value << "\n";
  };
  if (r.protected_fraction) line("protectedFractionOfFairShare", *r.protected_fraction);
  if (r.protect_uncapped) line("protectUncappedAdjustedFairShare", "true");
  if (r.prefer_large) line("enablePreferLargeJobOrdering", "true");
  if (r.lookback != 0) line("maxQueueLookback", r.lookback);
  if (r.burst != no_limit) line("maximumSchedulingBurst", r.burst);
  if (r.queue_burst != no_limit) line("maximumPerQueueSchedulingBurst", r.queue_burst);
  if (r.preemption_tokens != no_limit) line("fairsharePreemptionBurst", r.preemption_tokens);
  for (const auto& [i, fraction] : r.round_cap)
    out << "C maximumResourceFractionToSchedule " << amount_names[i] << "=" << fraction << "\n";
  for (const auto i : r.unscheduled) line("unscheduledResources", amount_names[i]);
  if (!r.default_tolerations.empty()) line("defaultTolerations", leave_text(r.default_tolerations));
  if (r.no_fair_share) line("disableFairshareScheduling", "true");
  if (r.no_urgency) line("disableUrgencyScheduling", "true");
  if (r.no_away) line("disableAwayScheduling", "true");
  if (r.no_gang_away) line("disableGangAwayScheduling", "true");
  if (w.licences != 0) out << "C floatingResources licence=" << w.licences << "\n";
  std::string types;
  std::string away;
  int number = 0;
  for (const auto& c : w.classes)
    for (const auto& a : c.away) {
      const auto name = "type" + std::to_string(number++);
      types += (types.empty() ? "" : ",") + name + "=" + taints_text(a.taints, "+");
      away += (away.empty() ? "" : ",") + c.name + "=" + std::to_string(a.priority) + ":" + name;
    }
  if (!types.empty()) line("wellKnownNodeTypes", types);
  if (!away.empty()) line("awayNodeTypes", away);
}

void write_job(std::ostream& out, const job& j) {
  if (j.minimum != 0) out << "# minimum of " << j.id << ": " << j.minimum << "\n";
  for (std::size_t i = 1; i < j.affinity.size(); ++i)
    out << "# or for " << j.id << ": " << term_text(j.affinity[i]) << "\n";
  out << "J " << j.id << " " << j.queue << " " << j.class_name << " " << j.priority << " "
      << j.submitted << " " << amounts_text(j.request) << " " << labels_text(j.selector) << " "
      << leave_text(j.tolerations) << " "
      << (j.affinity.empty() ? "-" : term_text(j.affinity.front())) << " "
      << (j.gang.empty() ? "-" : j.gang) << " " << j.cardinality << " "
      << (j.label.empty() ? "-" : j.label);
  if (j.request[node_amounts] != 0) out << " licence=" << j.request[node_amounts];
  out << "\n";
  if (j.node)
    out << "R " << j.id << " " << *j.node << " " << j.created << " " << j.run_priority
        << (j.stopping ? " - stopping" : "") << "\n";
}

}  // namespace

std::string snap1_text(const world& w) {
  std::ostringstream out;
  write_settings(out, w);
  for (std::size_t n = 0; n < w.nodes.size(); ++n) {
    const auto& row = w.nodes[n];
    if (row.held != amounts{})
      out << "# held on " << row.id << ": " << amounts_text(row.held) << "\n";
    out << "N " << n << " " << row.id << " " << row.cluster << " " << amounts_text(row.total) << " "
        << labels_text(row.labels) << " " << taints_text(row.taints)
        << (row.unschedulable ? " unschedulable" : "") << "\n";
  }
  for (const auto& q : w.queues) {
    if (q.tokens) out << "# tokens of " << q.name << ": " << *q.tokens << "\n";
    if (q.usage != 0.5) out << "# usage of " << q.name << ": " << q.usage << "\n";
    if (q.penalty != amounts{})
      out << "# penalty of " << q.name << ": " << amounts_text(q.penalty) << "\n";
    out << "Q " << q.name << " " << q.factor << (q.cordoned ? " cordoned" : "") << "\n";
    for (const auto& l : q.limits)
      out << "L " << q.name << " " << l.class_name << " " << amount_names[l.amount] << " "
          << l.fraction << "\n";
  }
  for (const auto& j : w.jobs) write_job(out, j);
  return out.str();
}

}  // namespace argosy::oracle
