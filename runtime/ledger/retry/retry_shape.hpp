// SPDX-License-Identifier: Apache-2.0
// Declares what a retry changes of a job: where its next run may go and how much memory that gets.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "runtime/model/event.hpp"
#include "runtime/model/retry_policy.hpp"

namespace argosy::ledger {

/// The bytes of memory that the next run requests after one that requested `before`: never less,
/// and at most 1 EiB. A job that requests no memory gets what an amount adds; a factor leaves it
/// alone.
[[nodiscard]] std::int64_t more_memory(std::int64_t before, const model::memory_bump& bump);

/// The label by which jobs avoid nodes.
inline constexpr const char* avoided_node_label = "kubernetes.io/hostname";

/// The shape of the job after the retry. `node` is where the failed run was; nodes are told apart
/// by their label kubernetes.io/hostname, so that one of the same name elsewhere is avoided too.
[[nodiscard]] std::shared_ptr<const model::job_shape> shape_after(
    const std::shared_ptr<const model::job_shape>& shape, const model::run_retried& retry,
    const model::node_name& node);

/// The shape of the job once it is known where its volumes are in that cluster, whatever was known
/// of it before.
[[nodiscard]] std::shared_ptr<const model::job_shape> shape_at(const model::job_shape& shape,
                                                               model::volume_place place);

/// Terms by which a job may go to these clusters alone. As what shape_at() learns of another
/// cluster they keep it from there.
[[nodiscard]] model::affinity_terms in_clusters(const std::vector<model::cluster_name>& clusters);
[[nodiscard]] bool names_clusters(const model::affinity_terms& reach);
/// Whether all clusters that such terms name keep the job away by such terms. False for others.
[[nodiscard]] bool is_shut_out(const model::job_shape& shape, const model::affinity_terms& reach);

}  // namespace argosy::ledger
