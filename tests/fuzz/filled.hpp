// SPDX-License-Identifier: Apache-2.0
// This file declares messages of protobuf with every field set, as seeds.
#pragma once

#include <google/protobuf/message.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace argosy::fuzz {

/// Sets every field to a value that may well be taken: names as texts, small numbers, 16 bytes
/// where an id is due. Of a oneof the last field stays.
void fill(google::protobuf::Message& out, int depth = 0);

/// An empty message of this type, "argosy.agent.v1.Hello".
[[nodiscard]] std::unique_ptr<google::protobuf::Message> message_named(const std::string& type);
/// The bytes of a message of this type with every field set.
[[nodiscard]] std::string filled(const std::string& type);

/// The types of all requests of the API, in the order of their methods.
[[nodiscard]] const std::vector<std::unique_ptr<google::protobuf::Message>>& request_types();

}  // namespace argosy::fuzz
