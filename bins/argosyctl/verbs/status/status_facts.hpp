// SPDX-License-Identifier: Apache-2.0
// What the person on call has to know, as sentences: pure functions of what the server answered.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "messages/proto/argosy/explain.pb.h"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::ctl {

/// The name of the queues in status_facts::unknown.
inline constexpr const char* queues_asked = "the queues";

/// The answers of the server.
struct status_facts {
  argosy::v1::GetVersionResponse server;
  argosy::v1::ListClustersResponse clusters;
  argosy::v1::ListPoolsResponse pools;
  argosy::v1::ListNodesResponse nodes;
  argosy::v1::ListQueuesResponse queues;
  argosy::v1::ListRoundsResponse rounds;
  /// The jobs that have waited longest and shortest, of those that wait and could start.
  std::optional<argosy::v1::JobSummary> oldest;
  std::optional<argosy::v1::JobSummary> newest;
  /// What could not be asked, and why: ("the nodes", "it took too long").
  std::vector<std::pair<std::string, std::string>> unknown;
  std::int64_t now_ns = 0;  ///< The Unix time at which they were asked.
};

enum class severity : std::uint8_t {
  bad,      ///< Jobs do not run that should, or somebody may do what he must not.
  warning,  ///< There is less room, or some jobs are slower, than there should be.
  note,     ///< Somebody wanted it so.
};

[[nodiscard]] std::string_view to_string(severity value) noexcept;

/// Something that is wrong.
struct finding {
  severity how_bad = severity::note;
  std::string kind;  ///< For programs: "silentCluster", "quarantinedNode" and others.
  std::string text;  ///< A sentence without its full stop.
};

/// What is wrong, worst first.
[[nodiscard]] std::vector<finding> findings_of(const status_facts& facts);

/// How full a pool is; what is on silent clusters does not count.
struct pool_fill {
  std::string pool;
  /// Shares in use, 0..1, of cpu and memory and of what only some nodes have, such as "gpu".
  std::vector<std::pair<std::string, double>> used;
  std::uint32_t nodes = 0;             ///< Silent ones too.
  std::optional<std::uint32_t> ready;  ///< Nodes that take jobs, if the server told.
};

/// The pools, fullest first.
[[nodiscard]] std::vector<pool_fill> fills_of(const status_facts& facts);

/// Tells how full the store, the log or the disk of the server is.
struct room_fill {
  std::string what;  ///< "store", "log" or "disk".
  /// The key of argosyd's configuration that gives the limit; empty for the disk, of which the
  /// server says itself when too little of it is free.
  std::string setting;
  std::uint64_t used = 0;   ///< Bytes.
  std::uint64_t limit = 0;  ///< Bytes; 0: there is no limit.
  std::string more;         ///< What else there is to say, as a clause; may be empty.
  bool refuses = false;     ///< It is so full that new commands are refused.

  [[nodiscard]] double share() const noexcept {
    return limit == 0 ? 0 : static_cast<double>(used) / static_cast<double>(limit);
  }
};

/// From the first share on a store or log is a finding. From the second one on the server refuses
/// new commands; of the log, that is the share of the generation that is written.
inline constexpr double room_warning = 0.8;
inline constexpr double room_refusing = 0.85;

/// The store, the log and the disk, if the server tells of them.
[[nodiscard]] std::vector<room_fill> room_of(const status_facts& facts);

/// How many jobs wait, and how many of these somebody wants to wait: they are held, or their queue
/// is cordoned.
struct waiting_jobs {
  std::uint64_t all = 0;
  std::uint64_t held = 0;
  std::uint64_t cordoned = 0;

  [[nodiscard]] std::uint64_t wanting() const noexcept {
    return all - std::min(all, held + cordoned);
  }
};

[[nodiscard]] waiting_jobs waiting_of(const status_facts& facts);

/// How long the job has waited, in nanoseconds: since it was queued for the last time.
[[nodiscard]] std::int64_t waited_ns(const argosy::v1::JobSummary& job, std::int64_t now_ns);

/// How long ago the round was; 0 if there is none to tell of.
[[nodiscard]] std::chrono::nanoseconds age_of(const argosy::v1::LastRound& round,
                                              std::int64_t now_ns);

/// "1 job", "3 jobs".
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view one);

}  // namespace argosy::ctl
