// SPDX-License-Identifier: Apache-2.0
// Which namespaces of jobs a cluster takes, as a taint of its nodes: the pods of its agent live in
// namespaces, and it may serve some of them alone, or be refused in one for a while. Every job
// tolerates the taint with the name of its namespace. Pure.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/model/identifiers.hpp"

namespace argosy::model {

/// The key of the taint. Its tolerations are the round's own.
inline constexpr std::string_view namespaces_taint = "argosy.io/namespaces";

/// A cluster has closed the namespace, but for some jobs that try it.
struct namespace_trial {
  model::cluster_name cluster;
  std::string name_space;  ///< Or a part of it, as in namespace_limits::closed.
  std::uint32_t jobs = 1;  ///< So many may try it at once.
  /// Nobody has found free room for long, so that they may have other jobs preempted for it.
  bool preempts = false;

  friend auto operator<=>(const namespace_trial&, const namespace_trial&) = default;
};

struct namespace_limits {
  std::vector<std::string> served;     ///< Patterns, in which a `*` stands for any characters.
  std::vector<std::string> closed;     ///< Namespaces, and parts of some (namespace_part.hpp).
  std::vector<namespace_trial> tried;  ///< None of these is among the closed ones.

  friend bool operator==(const namespace_limits&, const namespace_limits&) = default;
};

/// The value of the taint. Empty for a cluster that takes all, which has no taint.
[[nodiscard]] std::string to_taint_value(const namespace_limits& limits);
/// What to_taint_value() was given.
[[nodiscard]] namespace_limits read_taint_value(std::string_view value);

enum class namespace_fate : std::uint8_t { taken, unserved, closed };
/// `name` is that of the job's namespace, or its entry (entry_of()). `tries_in` is the cluster in
/// which the job may try its namespace; mostly none. With `to_preempt` this is for room that other
/// jobs have.
[[nodiscard]] namespace_fate fate_in(std::string_view taint_value, std::string_view name,
                                     std::string_view tries_in = {},
                                     bool to_preempt = false) noexcept;

/// Whether a cluster with these patterns serves the namespace. An empty list serves all.
[[nodiscard]] bool serves(const std::vector<std::string>& patterns, std::string_view name) noexcept;

}  // namespace argosy::model
