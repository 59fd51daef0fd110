// SPDX-License-Identifier: Apache-2.0
// Takes out of a job what only some callers see: the values of its environment. Whether a caller
// sees them is decided by access::sees_environment() and the QUEUE.
#pragma once

#include <google/protobuf/map.h>

#include <string>
#include <string_view>

namespace api {
class Job;
}  // namespace api

namespace k8s::io::api::core::v1 {
class PodSpec;
}  // namespace k8s::io::api::core::v1

namespace argosy::codec {

/// It stands in the place of a value. A submission that has it is refused.
inline constexpr std::string_view hidden_value = "***";

/// Whether an annotation repeats a whole manifest, and so the environment in it, as tools leave it
/// beside what they have applied: by its name, or since its text has both keys of an entry.
[[nodiscard]] bool repeats_environment(std::string_view name, std::string_view value);

/// Replaces the values of the environment of all containers, and annotations that repeat it. Names
/// stay, and references to secrets.
void hide_environment(api::Job& job);
/// Returns the place of a value that was replaced, as "containers[0].env[1].value"; empty: none
/// was.
[[nodiscard]] std::string hidden_place(const k8s::io::api::core::v1::PodSpec& spec);
/// Whether the value of one was replaced.
[[nodiscard]] bool has_hidden(const google::protobuf::Map<std::string, std::string>& annotations);
/// Whether a value of the job was replaced.
[[nodiscard]] bool hides_values(const api::Job& job);

}  // namespace argosy::codec
