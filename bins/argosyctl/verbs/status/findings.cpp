// SPDX-License-Identifier: Apache-2.0
// What is wrong with clusters, nodes, queues and rounds.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/verbs/status/status_facts.hpp"

namespace argosy::ctl {

namespace {

using namespace std::chrono_literals;

/// A round follows a change within seconds, or minutes where very much changes.
constexpr std::chrono::nanoseconds round_due = 60s;
constexpr std::size_t nodes_named = 3;
constexpr std::size_t namespaces_named = 3;

using findings = std::vector<finding>;

void add_unknown(const status_facts& facts, findings& out) {
  for (const auto& [what, why] : facts.unknown)
    out.push_back(
        {severity::bad, "unknown", fmt::format("the server did not tell {}: {}", what, why)});
}

/// "; 3 of 17 runs are left to drain"; empty if nothing is drained.
std::string left_to_drain(const argosy::v1::Operation& drain) {
  if (drain.id().empty()) return {};
  return fmt::format("; {} of {} are left to drain", drain.total() - drain.done(),
                     counted(drain.total(), "run"));
}

/// The namespaces of which the cluster takes no jobs for now, a few by name.
void add_closures(const argosy::v1::ClusterSummary& cluster, findings& out) {
  std::size_t told = 0;
  for (const auto& each : cluster.closures()) {
    if (++told > namespaces_named) continue;
    out.push_back(
        {severity::bad, "closedNamespace",
         fmt::format("cluster {} takes no jobs {} namespace {} for now: {}; one job tries it {}",
                     cluster.name(), each.whose().empty() ? "of" : each.whose() + " in",
                     each.namespace_(), each.why(),
                     each.seconds_left() == 0 ? std::string{"now"}
                                              : fmt::format("in {} s", each.seconds_left()))});
  }
  if (told > namespaces_named)
    out.push_back({severity::bad, "closedNamespaces",
                   fmt::format("cluster {} takes no jobs of {} for now", cluster.name(),
                               counted(told - namespaces_named, "more namespace"))});
}

void add_clusters(const status_facts& facts, findings& out) {
  bool none = facts.unknown.empty();
  for (const auto& cluster : facts.clusters.clusters()) {
    none = false;
    if (cluster.state() == "silent")
      out.push_back(
          {severity::bad, "silentCluster",
           fmt::format(
               "cluster {} is silent{}: nothing starts on its {}, and nobody knows what its "
               "{} there",
               cluster.name(),
               cluster.last_heard_ns() == 0
                   ? std::string{}
                   : " for " + human_age(cluster.last_heard_ns(), facts.now_ns),
               counted(cluster.nodes(), "node"),
               counted(cluster.runs(), "run") + (cluster.runs() == 1 ? " does" : " do"))});
    if (cluster.state() == "away")
      out.push_back(
          {severity::bad, "awayCluster",
           fmt::format("cluster {} is away for {}, since {}: nothing starts on its {}, and what is "
                       "told of its {} may be old",
                       cluster.name(), human_age(cluster.trouble_since_ns(), facts.now_ns),
                       cluster.trouble(), counted(cluster.nodes(), "node"),
                       counted(cluster.runs(), "run"))});
    if (cluster.state() == "expected")
      out.push_back(
          {severity::warning, "expectedCluster",
           fmt::format("cluster {} was not heard since the server started", cluster.name())});
    if (!cluster.lacks().empty())
      out.push_back({severity::warning, "lackingCluster",
                     fmt::format("cluster {} goes on, but {}", cluster.name(), cluster.lacks())});
    add_closures(cluster, out);
    if (!cluster.cordon().empty())
      out.push_back(
          {severity::warning, "cordonedCluster",
           fmt::format("cluster {} is {}{}", cluster.name(),
                       cluster.cordon().starts_with("cordoned") ? cluster.cordon()
                                                                : "cordoned: " + cluster.cordon(),
                       left_to_drain(cluster.drain()))});
  }
  if (none)
    out.push_back({severity::bad, "noCluster", "no cluster has joined, so that nothing can run"});
}

using node_list = std::vector<const argosy::v1::NodeSummary*>;

std::string why_of(const argosy::v1::NodeSummary& node, std::int64_t now_ns) {
  std::string out = node.reason().empty() || node.reason() == node.state() ? "" : node.reason();
  if (out.starts_with(node.state())) out.erase(0, node.state().size());
  if (!out.empty() && out.front() != ' ') out.insert(0, ": ");
  if (node.drain().node() == node.name()) out += left_to_drain(node.drain());
  if (node.quarantined_until_ns() > now_ns)
    out += "; for " + human_age(now_ns, node.quarantined_until_ns()) + " more";
  return out;
}

/// A few nodes are told with their reasons, many in one sentence.
void add_nodes_of(const std::string& cluster, const std::string& state, const node_list& nodes,
                  std::int64_t now_ns, findings& out) {
  const auto kind = state + "Node";
  if (nodes.size() <= nodes_named) {
    for (const auto* node : nodes)
      out.push_back(
          {severity::warning, kind,
           fmt::format("node {}/{} is {}{}", cluster, node->name(), state, why_of(*node, now_ns))});
    return;
  }
  std::string names;
  for (std::size_t i = 0; i < nodes_named; ++i) names += (i == 0 ? "" : ", ") + nodes[i]->name();
  out.push_back(
      {severity::warning, kind,
       fmt::format("{} of cluster {} are {}: {} and {} more", counted(nodes.size(), "node"),
                   cluster, state, names, nodes.size() - nodes_named)});
}

/// Nodes of clusters that are silent or cordoned are told with these.
void add_nodes(const status_facts& facts, findings& out) {
  std::map<std::string, bool> cordoned;
  for (const auto& cluster : facts.clusters.clusters())
    cordoned[cluster.name()] = !cluster.cordon().empty();
  std::map<std::pair<std::string, std::string>, node_list> by_state;
  for (const auto& node : facts.nodes.nodes()) {
    if (node.state() == "ready" || node.state() == "silent") continue;
    if (node.state() == "cordoned" && cordoned[node.cluster()]) continue;
    by_state[{node.state(), node.cluster()}].push_back(&node);
  }
  for (auto at = by_state.rbegin(); at != by_state.rend(); ++at)  // quarantined before cordoned
    add_nodes_of(at->first.second, at->first.first, at->second, facts.now_ns, out);
  for (const auto& pool : fills_of(facts))
    if (pool.nodes > 0 && pool.ready == 0U)
      out.push_back({severity::bad, "noReadyNode",
                     fmt::format("pool {} has no node that takes jobs", pool.pool)});
}

void add_queues(const status_facts& facts, findings& out) {
  for (const auto& queue : facts.queues.queues()) {
    const auto& name = queue.queue().name();
    if (queue.slowed() > 0)
      out.push_back({severity::warning, "slowedQueue",
                     fmt::format("queue {} starts its jobs {} more slowly, since its runs fail",
                                 name, human_share(queue.slowed()))});
    if (queue.blocked() > 0 || queue.unfit() > 0)
      out.push_back({queue.blocked() > 0 ? severity::warning : severity::note, "neverFits",
                     fmt::format("queue {}: {} can run on no node, even an empty one; rejected for "
                                 "that since the server began: {}",
                                 name, counted(queue.blocked(), "job"), queue.unfit())});
    if (queue.queue().cordoned())
      out.push_back(
          {queue.queued() > 0 ? severity::warning : severity::note, "cordonedQueue",
           fmt::format("queue {} is cordoned{}", name,
                       queue.queued() == 0
                           ? std::string{}
                           : fmt::format(", and {} in it",
                                         counted(queue.queued(), "job") +
                                             (queue.queued() == 1 ? " waits" : " wait")))});
    else if (queue.held() > 0)
      out.push_back({severity::note, "heldJobs",
                     fmt::format("queue {} holds {} of the {} that wait", name, queue.held(),
                                 counted(queue.queued(), "job"))});
  }
}

/// A round is overdue when a job has come since and waits. Without changes there is no new round,
/// however old the last one is.
void add_overdue(const status_facts& facts, findings& out) {
  if (!facts.newest || facts.rounds.last().empty()) return;
  const auto waited = waited_ns(*facts.newest, facts.now_ns);
  std::optional<std::chrono::nanoseconds> last;
  for (const auto& round : facts.rounds.last())
    if (const auto age = age_of(round, facts.now_ns); round.number() > 0 && (!last || age < *last))
      last = age;
  if (waited < round_due.count()) return;
  if (last && last->count() <= waited) return;
  const auto since = last ? " for " + human_duration(*last) : std::string{};
  out.push_back(
      {severity::bad, "overdueRound",
       fmt::format("no round has taken place{}, though job {} has waited for {}", since,
                   facts.newest->job_id(), human_duration(std::chrono::nanoseconds{waited}))});
}

void add_rounds(const status_facts& facts, findings& out) {
  for (const auto& round : facts.rounds.last())
    if (!round.discarded().empty())
      out.push_back({severity::bad, "failedRound",
                     fmt::format("the last plan for pool {} was discarded: {}", round.pool(),
                                 round.discarded())});
  add_overdue(facts, out);
}

/// A store or a log that is full stops everything.
void add_room(const status_facts& facts, findings& out) {
  for (const auto& room : room_of(facts))
    if (!room.setting.empty() && room.share() >= room_warning)
      out.push_back(
          {room.refuses ? severity::bad : severity::warning,
           "full" + std::string{room.what == "log" ? "Log" : "Store"},
           fmt::format("the {} is {} full{}: raise {} and start argosyd again", room.what,
                       human_share(std::min(room.share(), 1.0)),
                       room.refuses ? ", so that new commands are refused" : "", room.setting)});
}

/// Adds what the server finds wrong with itself. That its disk, store or log is full stands there
/// only with something that add_room() does not know.
void add_concerns(const status_facts& facts, findings& out) {
  for (const auto& one : facts.server.concerns())
    out.push_back({one.bad() ? severity::bad : severity::warning, one.kind(), one.text()});
}

/// Whoever leads is the only one then that can.
void add_standbys(const status_facts& facts, findings& out) {
  for (const auto& one : facts.server.standbys())
    if (!one.problem().empty())
      out.push_back({severity::bad, "unableStandby",
                     fmt::format("the control plane process {} waits and could not take over: {}",
                                 one.holder(), one.problem())});
}

}  // namespace

std::string_view to_string(severity value) noexcept {
  return value == severity::bad ? "bad" : value == severity::warning ? "warning" : "note";
}

std::string counted(std::uint64_t number, std::string_view one) {
  return fmt::format("{} {}{}", number, one, number == 1 ? "" : "s");
}

std::vector<finding> findings_of(const status_facts& facts) {
  findings out;
  add_unknown(facts, out);
  add_concerns(facts, out);
  add_room(facts, out);
  add_standbys(facts, out);
  add_rounds(facts, out);
  add_clusters(facts, out);
  add_nodes(facts, out);
  add_queues(facts, out);
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.how_bad < b.how_bad; });
  return out;
}

}  // namespace argosy::ctl
