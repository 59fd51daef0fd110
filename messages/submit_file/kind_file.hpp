// SPDX-License-Identifier: Apache-2.0
// Files in which each document says its kind and is one message of the API. This header is private
// to messages/submit_file.
#pragma once

#include <google/protobuf/message.h>

#include <initializer_list>
#include <string_view>

#include "runtime/base/result.hpp"
#include "runtime/settings/yaml/document.hpp"

namespace argosy::submit_file {

/// Reads a document with `kind: <kind>` into the message. `apiVersion` and the keys in `ignored`
/// say nothing.
[[nodiscard]] result<void> read_kind(const yaml::node& root, std::string_view kind,
                                     std::initializer_list<std::string_view> ignored,
                                     google::protobuf::Message& out);

}  // namespace argosy::submit_file
