// SPDX-License-Identifier: Apache-2.0
// Short forms of jobs and nodes for lists, as argosy.v1 has them.
#pragma once

#include "messages/native/cluster.hpp"
#include "messages/native/coordinator.hpp"
#include "messages/native/reader.hpp"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::actors {

[[nodiscard]] api::JobState to_api(model::job_state state) noexcept;
/// Nothing for states that no job has here (UNKNOWN, SUBMITTED).
[[nodiscard]] std::optional<model::job_state> to_model(api::JobState state) noexcept;

void summarize(const model::job_record& job, v1::JobSummary& out);
void summarize(const native::job_set_summary& set, v1::JobSetSummary& out);
void summarize(const native::node_status& node, v1::NodeSummary& out);
void summarize(const native::cluster_status& cluster, v1::ClusterSummary& out);

using amounts = google::protobuf::RepeatedPtrField<log::v1::Amount>;
void put_amounts(const model::resource_list& list, amounts& out);

/// Adds amounts by name; saturates.
void add_amounts(model::resource_list& sum, const model::resource_list& more);

}  // namespace argosy::actors
