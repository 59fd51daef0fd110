// SPDX-License-Identifier: Apache-2.0
// The recent_events of one cluster are what happened lately to it and its nodes, for people who ask
// why a node takes no jobs or loses them. A CLUSTER keeps them in memory, a bounded number, from
// when its process began to lead; of what was before, only what still held then is known. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/ledger/cluster/cluster_core.hpp"

namespace argosy::ledger {

enum class recent_kind : std::uint8_t {
  joined,
  left,
  silent,
  heard,  ///< Again, or for the first time since this process leads.
  away,   ///< Its agent does not reach what runs its jobs.
  back,
  node_joined,
  node_left,
  cordoned,
  uncordoned,
  drain_begun,
  drain_ended,
  drain_stopped,
  quarantined,
  quarantine_ended,
  run_failed,  ///< The user's command failed.
  run_lost,    ///< This and the next one are faults of the node.
  run_refused,
};

/// The name by which the API calls it, such as "nodeJoined".
[[nodiscard]] std::string_view to_string(recent_kind kind) noexcept;

struct recent_event {
  std::int64_t time_ns = 0;  ///< Unix time; of several that are one entry, that of the last.
  recent_kind kind = recent_kind::joined;
  model::node_name node{};              ///< Empty: it concerns the whole cluster.
  std::string by{};                     ///< Who did it; empty: nobody did.
  std::string text{};                   ///< What more there is to say of it: a clause, or a reason.
  std::uint32_t count = 1;              ///< How many runs or nodes are told as one.
  std::optional<model::run_key> run{};  ///< The last of these runs.
};

/// The event as a sentence without its full stop: "cordoned by alice: the fan is broken".
[[nodiscard]] std::string to_sentence(const recent_event& what);

class recent_events {
 public:
  /// So many events about runs are kept, and so many others.
  static constexpr std::size_t kept_max = 200;
  /// Runs of a node that end alike are one entry while not more time than this passes.
  static constexpr std::chrono::minutes gathered{10};

  /// Begins at this Unix time with what holds of the cluster then.
  recent_events(const cluster_core& cluster, std::int64_t now_ns);

  /// Takes an event of the log that the cluster has not applied yet.
  void take(const model::event& event, const cluster_core& before);
  void take(const contact_changed& what, std::int64_t now_ns);
  void take(const trouble_changed& what, std::int64_t now_ns);
  void take(const unbind_run& what, std::int64_t now_ns);
  /// The node is quarantined, or not any more if `what` has no end.
  void take(const model::node_name& node, const model::quarantine& what, std::int64_t now_ns);

  /// The newest come first, at most `limit`. Only those that concern the node, if one is named: its
  /// own and those of the whole cluster.
  [[nodiscard]] std::vector<recent_event> list(const model::node_name& node,
                                               std::size_t limit) const;
  /// The Unix time from which on nothing is left out.
  [[nodiscard]] std::int64_t since_ns() const noexcept { return since_ns_; }

 private:
  void take(const model::cluster_joined& what, std::int64_t time_ns, const cluster_core& before);
  void take(const model::nodes_changed& what, std::int64_t time_ns, const cluster_core& before);
  void take(const model::cordon_changed& what, std::int64_t time_ns);
  void take(const model::operation& drain, std::int64_t time_ns);
  void add_nodes(recent_kind kind, const std::vector<model::node_name>& nodes,
                 std::int64_t time_ns);
  void add(recent_event what);
  void shorten(std::deque<recent_event>& events);

  std::int64_t since_ns_;
  std::deque<recent_event> runs_;    ///< About runs, the oldest first.
  std::deque<recent_event> others_;  ///< All else, the oldest first.
  std::set<ulid> drains_;            ///< Those that go on.
};

}  // namespace argosy::ledger
