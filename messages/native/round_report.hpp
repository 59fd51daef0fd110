// SPDX-License-Identifier: Apache-2.0
// This file declares what the EXPLAINER answers to those who ask what the last rounds did, what
// one node is to a job, and which waiting jobs a node could run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "messages/native/coordinator.hpp"
#include "runtime/scheduling/explain/one_node.hpp"

namespace argosy::native {

/// Jobs of one queue that ask for the same and were kept from starting by the same.
struct stopped_jobs {
  std::string asks;  ///< For example "2 cores and 4 GiB of memory".
  std::uint64_t jobs = 0;
  ulid example;  ///< One of them; nil if none is known.
};

/// This is a cause that kept jobs of one queue from starting in one round, and how many it kept.
struct queue_stop {
  std::string code;      ///< JOB_DOES_NOT_FIT or another code.
  std::string sentence;  ///< The same as a clause for people.
  std::uint64_t jobs = 0;
  std::vector<stopped_jobs> kinds{};  ///< The largest kinds of these jobs, most jobs first.
};

/// This tells what one round did with one queue.
struct queue_round {
  queue_share share;
  bool active = false;  ///< It took part; otherwise the share and the weight say nothing.
  double weight = 0;
  std::uint64_t started = 0;
  std::uint64_t preempted = 0;
  std::vector<queue_stop> stops;  ///< Most jobs first.
  std::vector<std::string> used;  ///< Its jobs have this, such as "12 cores".
};

/// The last round of one pool.
struct pool_round {
  model::pool_name pool;
  std::uint64_t number = 0;  ///< 0: no round has taken place, or there are no jobs any more.
  std::int64_t time_ns = 0;
  std::string discarded;  ///< Why a later plan was discarded; empty if none was.
  std::uint64_t started = 0;
  std::uint64_t preempted = 0;
  std::uint64_t returned = 0;     ///< Jobs that were evicted for balance and came back.
  std::vector<std::string> used;  ///< For example "12 cores of 16 cores".
  std::map<model::queue_name, queue_round> queues;
};

/// The share of one queue when a span ended.
struct queue_moment {
  std::shared_ptr<const std::string> queue;
  queue_share share;
};

/// So many jobs got no place for one cause.
struct cause_count {
  std::string code;  ///< JOB_DOES_NOT_FIT or another code.
  std::uint64_t jobs = 0;
};

/// Rounds of one pool that followed each other.
struct round_span {
  std::int64_t from_ns = 0;  ///< Unix time at which the first of them began.
  std::int64_t to_ns = 0;    ///< The same of the last one.
  std::uint64_t rounds = 0;
  std::int64_t duration_ns = 0;  ///< The sum of the times that these rounds took.
  std::int64_t longest_ns = 0;
  std::uint64_t tried = 0;  ///< Jobs that had their turn: those that started, and those refused.
  std::uint64_t started = 0;
  std::uint64_t preempted = 0;
  std::uint64_t returned = 0;        ///< Jobs that were evicted for balance and came back.
  std::vector<cause_count> kept;     ///< By the last of them, most jobs first.
  std::vector<queue_moment> queues;  ///< After the last of them, by name.
};
using round_span_ptr = std::shared_ptr<const round_span>;

/// The spans of one pool, the oldest first.
struct round_trend {
  model::pool_name pool;
  std::vector<round_span_ptr> spans;
};

struct round_report {
  std::vector<pool_round> pools;               ///< The pools with nodes, by name.
  std::map<model::queue_name, double> slowed;  ///< As in share_list.
  std::vector<round_trend> trends;             ///< The rounds of the last hours, by pool.
};
using round_report_ptr = std::shared_ptr<const round_report>;

/// What one node is to one job.
struct job_on_node_question {
  ulid job;
  model::cluster_name cluster;
  model::node_name node;
};
using job_on_node_question_ptr = std::shared_ptr<const job_on_node_question>;

struct node_obstacle {
  std::string code;  ///< As in argosy.v1.NodeObstacle.
  std::string text;  ///< A clause about the job and the node.
};

struct job_on_node {
  bool node_known = false;  ///< The snapshot of the rounds has the node.
  bool job_known = false;   ///< It has the job; it lacks held ones and members of open gangs.
  model::pool_name pool;
  /// All that stands in its way; empty for a job that is not known and for one that runs there.
  std::vector<node_obstacle> obstacles;
  bool closed = false;  ///< The first obstacle is that the node takes no new jobs.
  bool away = false;    ///< It could run there only at the priority of jobs that are away.
  bool fits_by_preemption = false;
  std::int32_t priority = 0;
  std::vector<scheduling::resource_room> room;
  std::string code;  ///< What the last round of the pool said of the job; empty: nothing.
  std::string why;   ///< The same as a clause.
  std::uint64_t round = 0;
};
using job_on_node_ptr = std::shared_ptr<const job_on_node>;

/// Which waiting jobs one node could run.
struct node_question {
  model::cluster_name cluster;
  model::node_name node;
  model::queue_name queue;  ///< Only jobs of this queue; empty: of all.
  std::size_t named = 20;
};
using node_question_ptr = std::shared_ptr<const node_question>;

struct job_for_node {
  ulid id;
  model::queue_name queue;
  std::uint64_t place = 0;
  bool by_preemption = false;
  std::string code;  ///< What the last round of the pool said of it; empty: nothing.
  std::string why;   ///< The same as a clause.
};

struct jobs_kept {
  std::uint64_t jobs = 0;
  std::string code;
  std::string why;  ///< A clause about these jobs.
};

struct node_answer {
  bool node_known = false;
  model::pool_name pool;
  std::vector<node_obstacle> closures;  ///< What keeps all jobs away.
  std::vector<scheduling::resource_room> room;
  std::uint64_t waiting = 0;
  std::uint64_t looked_at = 0;
  std::uint64_t fitting = 0;
  std::vector<job_for_node> jobs;
  std::vector<jobs_kept> others;
};
using node_answer_ptr = std::shared_ptr<const node_answer>;

}  // namespace argosy::native
