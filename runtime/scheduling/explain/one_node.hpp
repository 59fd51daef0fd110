// SPDX-License-Identifier: Apache-2.0
// This file declares what one node is to one job: everything that stands in the way of the job
// there, and the room that the node has. It costs no walk over other nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/ulid.hpp"
#include "runtime/scheduling/config.hpp"
#include "runtime/scheduling/explain/obstacle.hpp"
#include "runtime/scheduling/rows.hpp"

namespace argosy::scheduling {

class snapshot;
struct job_record;
struct node_record;
struct tables;

/// The room of a node for one resource, in cores, bytes or pieces.
struct resource_room {
  std::string resource;
  double asked = 0;
  double total = 0;  ///< Without what others than jobs hold.
  double free = 0;   ///< Without anybody's preemption.
  /// What would be free for a job of this priority if all jobs below it left that may be preempted
  /// for others; the lowest priority is first.
  std::vector<std::pair<std::int32_t, double>> at_priority;
};

struct node_judgement {
  std::vector<obstacle> obstacles;  ///< All that there are, in the order of their kinds.
  std::int32_t priority = 0;        ///< The priority at which it would run there.
  bool away = false;                ///< It tolerates the taints only as a job that is away.
  /// Only room stands in the way, closures aside, and there is enough if jobs of lower priority
  /// leave.
  bool room_by_preemption = false;

  [[nodiscard]] bool is_closed() const noexcept {
    return !obstacles.empty() && is_closure(obstacles.front().kind);
  }
  [[nodiscard]] bool fits() const noexcept { return obstacles.empty(); }
  [[nodiscard]] bool fits_by_preemption() const noexcept {
    return room_by_preemption && !is_closed();
  }
  /// Whether the job would fit if the node took new jobs.
  [[nodiscard]] bool fits_if_open() const noexcept {
    return obstacles.empty() || is_closure(obstacles.back().kind);
  }
};

/// A present node of the snapshot. The snapshot and the configuration must outlive the object.
class one_node {
 public:
  /// `number` is from find_node(); `conf` is the configuration of the node's pool.
  one_node(const snapshot& from, const config& conf, std::uint32_t number);

  /// Judges the job by itself, without regard to its gang mates and to limits. The job may have a
  /// run: then it is judged as if it came in addition. The job must be live.
  [[nodiscard]] node_judgement judge(const ulid& job) const;
  /// The same for a job by its number in the snapshot's tables.
  [[nodiscard]] node_judgement judge(std::uint32_t job) const;
  /// What keeps all jobs away, but for those that tolerate it.
  [[nodiscard]] std::vector<obstacle> closures() const;
  /// The room for what the job asks for, or for `none`, for all resources that the node has.
  [[nodiscard]] std::vector<resource_room> room(std::uint32_t job) const;

  [[nodiscard]] const snapshot& from() const noexcept { return from_; }
  [[nodiscard]] const config& conf() const noexcept { return conf_; }

 private:
  using amounts = std::vector<std::int64_t>;

  [[nodiscard]] amounts free_at(std::int64_t priority) const;
  void judge_taints(const job_record& job, node_judgement& into) const;
  void judge_terms(const job_record& job, node_judgement& into) const;
  void judge_gang(std::uint32_t job, node_judgement& into) const;
  void judge_room(const std::int64_t* need, node_judgement& into) const;
  [[nodiscard]] bool fits(const std::int64_t* need, const amounts& room) const;

  const snapshot& from_;
  const config& conf_;
  const tables& t_;
  const node_record& node_;
  amounts total_;
  amounts free_;
};

/// The number of the present node with this id ("cluster/node"); nothing if there is none.
[[nodiscard]] std::optional<std::uint32_t> find_node(const snapshot& from, std::string_view id);
[[nodiscard]] std::string_view pool_of_node(const snapshot& from, std::uint32_t node);

}  // namespace argosy::scheduling
