// SPDX-License-Identifier: Apache-2.0
// Messages as JSON in the form that Go's own encoder gives them, which differs from protobuf's
// JSON: enums and 64-bit integers are numbers, times are {"seconds","nanos"}, and what is zero is
// left out. Parts of Kubernetes objects are as Kubernetes writes them.
#pragma once

#include <google/protobuf/message.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "messages/codec/rest/unknown_fields.hpp"
#include "runtime/base/result.hpp"

namespace argosy::codec {

using go_json = nlohmann::ordered_json;

/// How many values a request may have; an object or a list counts as four, since it may stand for a
/// message of some hundred bytes.
inline constexpr std::size_t json_values_max = 400'000;
/// How deep objects and lists of a request may be nested in each other.
inline constexpr std::size_t json_depth_max = 100;

[[nodiscard]] go_json to_go_json(const google::protobuf::Message& from);

/// The text of to_go_json(from), a few times as fast: lists are asked for often.
[[nodiscard]] std::string go_json_text(const google::protobuf::Message& from);

/// Reads a text of JSON. Fails with ec::invalid_argument for what is none, is nested too deep,
/// has too many values, or has a key twice in one object.
[[nodiscard]] result<go_json> parse_json(std::string_view text);

/// Sets what the object has. A field is found by its name in JSON, without regard to case, or by
/// its name in the message. Values are read as protobuf's JSON has them: numbers and enums also as
/// texts, whole numbers also as 1.0 or 1e3. Fails with ec::invalid_argument, naming the path of the
/// field, for a value of another type or beyond its range, a field that is there twice or is not
/// known, and a second choice of a oneof.
result<void> read_go_json(const go_json& from, google::protobuf::Message& into,
                          unknown_fields unknown = unknown_fields::refused);

/// Sets one field from a text, as in a query string; the path "a.b" goes into messages. Fails as
/// read_go_json() does, also for a field that has a value and is no list.
result<void> read_parameter(std::string_view path, const std::string& value,
                            google::protobuf::Message& into,
                            unknown_fields unknown = unknown_fields::refused);

/// Fails, like read_go_json(), if the object has a member that is not among the known ones, unless
/// unknown ones are passed.
result<void> check_members(const go_json& of, const std::string& where,
                           const std::vector<std::string_view>& known, unknown_fields unknown);

/// Whether the fields of the message in this field stand in the object around it.
[[nodiscard]] bool is_inlined(const google::protobuf::FieldDescriptor& field);

}  // namespace argosy::codec
