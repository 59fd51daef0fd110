// SPDX-License-Identifier: Apache-2.0
// What terms of node affinity say: of one node, in words, and together with the places of a job's
// volumes. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/model/job.hpp"

namespace argosy::model {

/// The label by which rounds tell the cluster of a node. No user can ask for it: Kubernetes has no
/// label of this name.
inline constexpr const char* cluster_label = "(cluster)";

/// The operation that Kubernetes calls so, such as "NotIn"; nothing for other words.
[[nodiscard]] std::optional<affinity_rule::op> operation_of(std::string_view word) noexcept;

/// Terms about volumes are kept if they have no more bytes than this, and no more alternatives.
inline constexpr std::size_t reach_bytes_max = 8192;
inline constexpr std::size_t reach_terms_max = 16;
[[nodiscard]] bool is_short(const affinity_terms& terms) noexcept;

/// The value of a label of a node; null if it has none.
using label_reader = std::function<const std::string*(const std::string&)>;
/// Whether the node matches, as Kubernetes judges it. Without terms every node does.
[[nodiscard]] bool matches(const affinity_terms& terms, const label_reader& label);

/// What both of them ask for. Every pair of terms becomes one.
[[nodiscard]] affinity_terms both(const affinity_terms& a, const affinity_terms& b);

/// The required affinity of the job, with what is known of its volumes: in a cluster where they
/// are, it goes to the nodes that reach them. A place that would make more than 64 alternatives of
/// it is left out.
[[nodiscard]] affinity_terms affinity_of(const job_shape& shape);

/// Terms by which a job may go to every cluster but this one.
[[nodiscard]] affinity_terms outside_of(const model::cluster_name& cluster);
/// Whether the terms are those of outside_of().
[[nodiscard]] bool is_outside(const affinity_terms& terms) noexcept;

/// "zone in (a, b) and disk exists, or zone in (c)".
[[nodiscard]] std::string text_of(const affinity_terms& terms);

}  // namespace argosy::model
