// SPDX-License-Identifier: Apache-2.0
// The explanations of one node for programs and for argosyctl explain: what it is to one job, and
// which waiting jobs it could run.
#pragma once

#include <string>

#include "messages/native/cluster.hpp"
#include "messages/native/round_report.hpp"
#include "messages/proto/argosy/explain.pb.h"
#include "runtime/model/job.hpp"

namespace argosy::rounds {

/// What is known of the node besides the snapshot of the rounds.
struct node_facts {
  const native::node_status& status;
  std::string silence;  ///< A clause, if its cluster is out of contact: "cluster 'c' is ..."
};

/// `answer` is of the same job and node. The verdict of a waiting job that no round knows is left
/// empty, unless it is held: why that is, its QUEUE knows.
[[nodiscard]] v1::JobOnNode explanation_of(const model::job_record& job,
                                           const native::job_on_node& answer,
                                           const node_facts& node);

/// `queue` is the one that was asked for, or empty.
[[nodiscard]] v1::NodeExplanation explanation_of(const native::node_answer& answer,
                                                 const node_facts& node,
                                                 const model::queue_name& queue);

}  // namespace argosy::rounds
