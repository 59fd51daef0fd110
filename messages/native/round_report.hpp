// SPDX-License-Identifier: Apache-2.0
// This file declares what the COORDINATOR answers to those who ask what the last rounds did.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "messages/native/coordinator.hpp"

namespace argosy::native {

/// This is a cause that kept jobs of one queue from starting in one round, and how many it kept.
struct queue_stop {
  std::string code;      ///< JOB_DOES_NOT_FIT or another code.
  std::string sentence;  ///< The same as a clause for people.
  std::uint64_t jobs = 0;
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
  std::string pool;
  std::uint64_t number = 0;  ///< 0: no round has taken place, or there are no jobs any more.
  std::int64_t time_ns = 0;
  std::string discarded;  ///< Why a later plan was discarded; empty if none was.
  std::uint64_t started = 0;
  std::uint64_t preempted = 0;
  std::uint64_t returned = 0;     ///< Jobs that were evicted for balance and came back.
  std::vector<std::string> used;  ///< For example "12 cores of 16 cores".
  std::map<std::string, queue_round> queues;
};

struct round_report {
  std::vector<pool_round> pools;         ///< The pools with nodes, by name.
  std::map<std::string, double> slowed;  ///< As in coordinator_status.
};
using round_report_ptr = std::shared_ptr<const round_report>;

}  // namespace argosy::native
