// SPDX-License-Identifier: Apache-2.0
// What taints say to people that nobody sets by hand: those of ours by which rounds keep jobs off
// nodes. They are told in words of their own, and never offered as something to tolerate. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/scheduling/rows.hpp"

namespace argosy::scheduling {

/// The taint as "key=value:Effect".
[[nodiscard]] std::string text_of(const taint& spot);
/// What keeps a job with these tolerations off a node with this taint, as text_of(). For a node of
/// backend `process` the value is the field of the pod that processes cannot carry out.
[[nodiscard]] std::string text_of(const taint& spot, const std::vector<toleration>& tolerations);

/// Whether a taint with this text is one of ours, which is not to be tolerated.
[[nodiscard]] bool is_internal(std::string_view taint_text) noexcept;

/// Whether the taint is there for a time: clusters set it while a node is not ready, under pressure
/// or cordoned, and a namespace is shut for a while only.
[[nodiscard]] bool is_passing(const taint& spot, const std::vector<toleration>& tolerations);

/// Whether a taint with this text is one by the namespace of the job.
[[nodiscard]] bool is_of_namespace(std::string_view taint_text) noexcept;
/// " (only of jobs, team-*)", for such a text.
[[nodiscard]] std::string namespaces_in(std::string_view taint_text);

/// Whether a taint with this text is one of nodes of backend `process`.
[[nodiscard]] bool is_of_processes(std::string_view taint_text) noexcept;
/// "podSpec.volumes", for such a text; empty if it names no field.
[[nodiscard]] std::string field_in(std::string_view taint_text);
/// The same for people: "podSpec.volumes", "a pod without podSpec.containers[0].command" or "this
/// pod".
[[nodiscard]] std::string not_for_processes(std::string_view field);
/// What its owner can do about the field: "do without podSpec.volumes"; empty if there is no field.
[[nodiscard]] std::string change_for_processes(std::string_view field);

}  // namespace argosy::scheduling
