// SPDX-License-Identifier: Apache-2.0
// Messages as JSON in the form that Go's own encoder gives them, which differs from protobuf's
// JSON: enums and 64-bit integers are numbers, times are {"seconds","nanos"}, and what is zero is
// left out. Parts of Kubernetes objects are as Kubernetes writes them.
#pragma once

#include <google/protobuf/message.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "runtime/base/result.hpp"

namespace argosy::codec {

using go_json = nlohmann::ordered_json;

/// How deep objects and lists of a request may be nested in each other.
inline constexpr std::size_t json_depth_max = 100;

[[nodiscard]] go_json to_go_json(const google::protobuf::Message& from);

/// The text of to_go_json(from), a few times as fast: lists are asked for often.
[[nodiscard]] std::string go_json_text(const google::protobuf::Message& from);

/// Reads a text of JSON. Fails with ec::invalid_argument for what is none, or is nested too deep.
[[nodiscard]] result<go_json> parse_json(std::string_view text);

/// Sets what the object has. Names are matched without regard to case, unknown ones are passed
/// over. Fails with ec::invalid_argument, naming the field, for a value of another type.
result<void> read_go_json(const go_json& from, google::protobuf::Message& into);

/// Sets one field from a text, as in a query string; the path "a.b" goes into messages, and an
/// unknown one is passed over.
result<void> read_parameter(std::string_view path, const std::string& value,
                            google::protobuf::Message& into);

/// Whether the fields of the message in this field stand in the object around it.
[[nodiscard]] bool is_inlined(const google::protobuf::FieldDescriptor& field);

}  // namespace argosy::codec
