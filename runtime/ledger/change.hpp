// SPDX-License-Identifier: Apache-2.0
// What applying one event changes in the materialised state. Defined once, here: an apply returns
// these, messages/codec encodes them, and the STORE writes them without folding a second time.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "runtime/model/event.hpp"

namespace argosy::ledger {

/// The job's new state. A terminal one moves from the live to the ended jobs.
struct put_job {
  model::job_record record;
  bool is_new = false;  ///< The specification is written too.
};

/// The event itself, in the index of its job set.
struct index_event {
  std::string queue;
  std::string job_set;
  model::event event;
};

/// A client id was used; a repeat returns the same job until it expires.
struct put_client_id {
  std::string queue;
  std::string client_id;
  ulid job;
  std::uint64_t body_hash = 0;
  std::int64_t used_ns = 0;
};

struct put_queue {
  model::queue_settings settings;
};
struct erase_queue {
  std::string name;
};
struct put_cluster {
  model::cluster_info cluster;
  bool present = true;  ///< False once it has left.
};
struct put_node {
  std::string cluster;
  model::node_info node;
};
struct erase_node {
  std::string cluster;
  std::string node;
};
struct put_round {
  std::int64_t time_ns = 0;
  model::round_decided round;
};
struct put_epoch {
  std::uint64_t epoch = 0;
  std::string holder;
};

/// Everything of the view that is older, as far as the event says.
struct expire_history {
  model::history_expired limits;
};

using change =
    std::variant<put_job, index_event, put_client_id, put_queue, erase_queue, put_cluster, put_node,
                 erase_node, put_round, put_epoch, expire_history>;

using change_list = std::vector<change>;

}  // namespace argosy::ledger
