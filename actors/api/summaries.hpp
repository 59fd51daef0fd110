// SPDX-License-Identifier: Apache-2.0
// This file declares how jobs and nodes become the short forms that argosy.v1 has for lists.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "messages/native/cluster.hpp"
#include "messages/native/contact_board.hpp"
#include "messages/native/coordinator.hpp"
#include "messages/native/reader.hpp"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::actors {

/// Summarises the job, with what is known of the contact to the cluster of its live run.
void summarize(const model::job_record& job, const native::contact_board& contacts,
               v1::JobSummary& out);
void summarize(const native::job_set_summary& set, v1::JobSetSummary& out);
void summarize(const native::node_status& node, const native::contact_board& contacts,
               v1::NodeSummary& out);
void summarize(const native::cluster_status& cluster, v1::ClusterSummary& out);
void summarize(const model::operation& operation, v1::Operation& out);
void summarize(const ledger::recent_event& event, v1::ClusterEvent& out);

/// Why the output of runs on this cluster cannot be read now; nothing when it is in contact.
[[nodiscard]] std::optional<std::string> silent_output(const model::cluster_name& cluster,
                                                       const native::contact_board& contacts,
                                                       boot_time now);

/// A clause on the cluster, if it is out of contact, and otherwise nothing.
[[nodiscard]] std::string silence_of(const model::cluster_name& cluster,
                                     const native::contact_board& contacts, boot_time now);
/// One sentence on a run of a cluster that is out of contact.
[[nodiscard]] std::string silent_run(const model::cluster_name& cluster,
                                     const native::contact_board& contacts, boot_time now);
/// One sentence on each cluster that takes no jobs because it is out of contact. A long list is cut
/// and ends with how many more there are.
[[nodiscard]] std::vector<std::string> silent_clusters(const native::contact_board& contacts,
                                                       boot_time now);

using amounts = google::protobuf::RepeatedPtrField<log::v1::Amount>;
void put_amounts(const model::resource_list& list, amounts& out);

}  // namespace argosy::actors
