// SPDX-License-Identifier: Apache-2.0
// A joint estimate says for each node and each queue how probable it is that a run does not fail
// because of it. A run ends well if both its node and its queue are well; after each run both
// probabilities move along the gradient of the logarithm of the likelihood of what happened. It is
// pure: the same outcomes in the same order give the same bits.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "runtime/model/identifiers.hpp"
#include "runtime/model/round_health.hpp"

namespace argosy::ledger {

using model::estimate;

class joint_estimate {
 public:
  /// An estimate whose last outcome is as old as `age_max_ns` counts as unknown and begins anew
  /// with the next outcome.
  explicit joint_estimate(std::int64_t age_max_ns) : age_max_ns_(age_max_ns) {}

  /// A run of this queue on this node ended at `time_ns`.
  void ended(const model::node_path& node, const model::queue_name& queue, bool well,
             std::int64_t time_ns);
  /// The node failed a run whatever its queue is.
  void node_failed(const model::node_path& node, std::int64_t time_ns);

  /// Return the estimate at that time, which rests on no runs if nothing is known.
  [[nodiscard]] estimate node(const model::node_path& name, std::int64_t now_ns) const;
  [[nodiscard]] estimate queue(const model::queue_name& name, std::int64_t now_ns) const;

  /// Sets what an earlier owner knew.
  void set_node(const model::node_path& name, const estimate& what) { nodes_[name] = what; }
  void set_queue(const model::queue_name& name, const estimate& what) { queues_[name] = what; }
  void forget_node(const model::node_path& name) { nodes_.erase(name); }
  void forget_queue(const model::queue_name& name) { queues_.erase(name); }

 private:
  template <class Name>
  using side = std::map<Name, estimate>;

  [[nodiscard]] bool is_known(const estimate& what, std::int64_t now_ns) const noexcept;
  template <class Name>
  [[nodiscard]] estimate known(const side<Name>& of, const Name& name, std::int64_t now_ns) const;

  std::int64_t age_max_ns_;
  side<model::node_path> nodes_;
  side<model::queue_name> queues_;
};

}  // namespace argosy::ledger
