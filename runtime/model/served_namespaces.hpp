// SPDX-License-Identifier: Apache-2.0
// Which namespaces of jobs a cluster takes, as a taint of its nodes: the pods of its agent live in
// namespaces, and it may serve some of them alone, or be refused in one for a while. Every job
// tolerates the taint with the name of its namespace. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace argosy::model {

/// The key of the taint. Its tolerations are the round's own.
inline constexpr std::string_view namespaces_taint = "argosy.io/namespaces";

/// The value of the taint: the patterns of what is served, in which a `*` stands for any
/// characters, and what is closed. Empty for a cluster that takes all, which has no taint.
[[nodiscard]] std::string to_taint_value(const std::vector<std::string>& served,
                                         const std::vector<std::string>& closed);

/// What is served and what is closed, as to_taint_value() was given them.
[[nodiscard]] std::pair<std::vector<std::string>, std::vector<std::string>> read_taint_value(
    std::string_view value);

enum class namespace_fate : std::uint8_t { taken, unserved, closed };
[[nodiscard]] namespace_fate fate_in(std::string_view taint_value, std::string_view name) noexcept;

/// Whether a cluster with these patterns serves the namespace. An empty list serves all.
[[nodiscard]] bool serves(const std::vector<std::string>& patterns, std::string_view name) noexcept;

}  // namespace argosy::model
