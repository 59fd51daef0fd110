// SPDX-License-Identifier: Apache-2.0
// An operation is a change that takes a while and goes on after its request was answered or its
// caller has gone: the drain of a node or cluster, or a change of very many jobs of one queue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/ulid.hpp"
#include "runtime/model/identifiers.hpp"

namespace argosy::model {

enum class operation_kind : std::uint8_t { drain, cancel, preempt, reprioritize, hold, release };
enum class operation_state : std::uint8_t {
  running,
  done,
  stopped,  ///< Somebody ended it before it was done.
  failed,   ///< Only a part was done, for the reason in `detail`.
};

/// Which jobs of the queue are changed, and to what; nothing of this is said of a drain.
struct operation_jobs {
  std::uint32_t states = 0;            ///< A bit for each job_state.
  std::vector<std::string> classes{};  ///< An empty list stands for every priority class.
  std::vector<pool_name> pools{};      ///< An empty list stands for every pool.
  std::uint32_t priority = 0;          ///< The new priority.
  bool with_gangs = false;

  friend bool operator==(const operation_jobs&, const operation_jobs&) = default;
};

struct operation {
  /// The operations of one request about several queues share it.
  ulid id{};
  operation_kind kind = operation_kind::drain;
  operation_state state = operation_state::running;
  model::queue_name queue{};  ///< Empty: it is a drain.
  std::string job_set{};      ///< Empty: the jobs of all sets.
  model::cluster_name cluster{};
  model::node_name node{};  ///< Empty for a drain of the whole cluster.
  std::string by{};
  std::string reason{};
  std::int64_t begun_ns = 0;     ///< Unix time.
  std::int64_t ended_ns = 0;     ///< Unix time; 0 while it goes on.
  std::uint64_t total = 0;       ///< How many runs a drain has found, or how many jobs are changed.
  std::uint64_t done = 0;        ///< How many of these have ended, or were looked at.
  std::string detail{};          ///< Who stopped it, or why it failed.
  std::int64_t deadline_ns = 0;  ///< When a drain preempts what is left, Unix time; 0: never.
  bool preempts = false;         ///< The drain ends the runs whose priority class may be preempted.
  operation_jobs jobs{};

  [[nodiscard]] bool is_running() const noexcept { return state == operation_state::running; }
  [[nodiscard]] std::uint64_t left() const noexcept { return total > done ? total - done : 0; }

  friend bool operator==(const operation&, const operation&) = default;
};

[[nodiscard]] std::string_view to_string(operation_kind kind) noexcept;
[[nodiscard]] std::string_view to_string(operation_state state) noexcept;

/// So many operations that have ended are kept in the view.
inline constexpr std::size_t operations_kept = 500;

/// The event: all of the operation as it stands now.
struct operation_changed {
  operation now;
};

}  // namespace argosy::model
