// SPDX-License-Identifier: Apache-2.0
// All that a round reads, in columns, kept between rounds: changed entities are folded in, and
// settle() finishes a batch. It has one owner at a time; a settled snapshot may be read by many
// threads. It takes about 100 bytes for each queued job and 1 KiB for each node.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/scheduling/config.hpp"
#include "runtime/scheduling/plan.hpp"
#include "runtime/scheduling/rows.hpp"

namespace argosy::scheduling {

struct tables;

class snapshot {
 public:
  /// Makes an empty snapshot for the resources, classes, indexed labels and taints, and job order
  /// of `conf`.
  explicit snapshot(const config& conf);
  snapshot(const snapshot& other);
  snapshot(snapshot&& other) noexcept;
  snapshot& operator=(const snapshot& other);
  snapshot& operator=(snapshot&& other) noexcept;
  ~snapshot();

  /// Adds the node or replaces what was known of it; its running jobs stay. Fails with
  /// ec::invalid_argument for negative or absurd amounts.
  result<void> upsert_node(const node_row& row);
  /// Removes the node. Its running jobs stay as jobs that use their queue's share but no node.
  void remove_node(std::string_view id);

  result<void> upsert_queue(const queue_row& row);
  /// Removes the queue. Its jobs stay where they run, and are neither started nor preempted.
  void remove_queue(std::string_view name);

  /// The number of a shape. Equal shapes have one number until compact(). Fails with
  /// ec::invalid_argument for negative or absurd amounts.
  result<shape_id> intern(const shape_row& row);

  /// Adds or replaces the job. A gang's members need not come together.
  result<void> upsert_job(const job_row& row);
  void remove_job(const ulid& id);

  /// Finishes a batch of changes. The cost grows with the queues that were touched.
  void settle();
  [[nodiscard]] bool settled() const noexcept;

  /// Forgets shapes, nodes, queues and names of gangs that nothing uses any more, and numbers the
  /// others anew, in the same order. The result has for each old number of a shape the new one, or
  /// `none` if it is forgotten. The snapshot must be settled. The cost grows with all jobs.
  std::vector<shape_id> compact();
  /// How many entries there are of which compact() may forget some.
  [[nodiscard]] std::size_t entry_count() const noexcept;

  [[nodiscard]] std::size_t node_count() const noexcept;
  [[nodiscard]] std::size_t queue_count() const noexcept;
  [[nodiscard]] std::size_t queued_count() const noexcept;
  [[nodiscard]] std::size_t running_count() const noexcept;
  /// The bytes held for nodes and for jobs, their indexes included.
  [[nodiscard]] std::size_t node_bytes() const noexcept;
  [[nodiscard]] std::size_t job_bytes() const noexcept;

  /// The number of a live job; nothing if there is none with this id.
  [[nodiscard]] std::optional<std::uint32_t> find_job(const ulid& id) const;
  [[nodiscard]] std::string_view node_id(std::uint32_t node) const;
  [[nodiscard]] std::string_view node_executor(std::uint32_t node) const;
  [[nodiscard]] std::string_view queue_name(std::uint32_t queue) const;
  [[nodiscard]] const ulid& job_id(std::uint32_t job) const;
  /// The queue and shape of a job by its number in a plan.
  [[nodiscard]] std::string_view job_queue(std::uint32_t job) const;
  [[nodiscard]] shape_id job_shape(std::uint32_t job) const;

  /// The columns themselves, for the round.
  [[nodiscard]] const tables& data() const noexcept { return *tables_; }

  friend std::uint16_t pool_set(snapshot& of, const std::vector<std::string>& pools);
  friend void put_in(snapshot& of, std::uint32_t job, std::uint16_t pool_set);
  friend void close_node(snapshot& of, std::string_view id);

 private:
  std::unique_ptr<tables> tables_;
};

/// The number of a set of pools; 0 is that of all pools.
[[nodiscard]] std::uint16_t pool_set(snapshot& of, const std::vector<std::string>& pools);
/// Has the waiting job take part in the rounds of the pools of this set alone. Call settle()
/// afterwards.
void put_in(snapshot& of, std::uint32_t job, std::uint16_t pool_set);
/// The node takes no new jobs until it is given anew.
void close_node(snapshot& of, std::string_view id);

}  // namespace argosy::scheduling
