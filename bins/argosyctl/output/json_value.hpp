// SPDX-License-Identifier: Apache-2.0
// Single values of messages as proto3 JSON, as protobuf's json_util prints them. For json_writer.
#pragma once

#include <google/protobuf/message.h>

#include <string>
#include <string_view>

namespace argosy::ctl {

/// How protobuf's reflection reads a field, and an item of a list.
template <class Value>
using field_getter = Value (google::protobuf::Reflection::*)(
    const google::protobuf::Message&, const google::protobuf::FieldDescriptor*) const;
template <class Value>
using item_getter = Value (google::protobuf::Reflection::*)(
    const google::protobuf::Message&, const google::protobuf::FieldDescriptor*, int) const;

/// A field, or with an index that is not negative an item of a list.
struct scalar {
  const google::protobuf::Message& message;
  const google::protobuf::Reflection& reflection;
  const google::protobuf::FieldDescriptor* of;
  int index;

  /// By the two getters of the field's type.
  template <class Value>
  Value get(field_getter<Value> field, item_getter<Value> item) const {
    return index < 0 ? (reflection.*field)(message, of) : (reflection.*item)(message, of, index);
  }
  /// Of text and bytes; `scratch` may be used to hold it.
  const std::string& text(std::string& scratch) const {
    return index < 0 ? reflection.GetStringReference(message, of, &scratch)
                     : reflection.GetRepeatedStringReference(message, of, index, &scratch);
  }
};

/// Anything but text, bytes and messages.
void append_scalar(const scalar& value, std::string& out);

/// The text as a JSON string, quotes included.
void append_json_string(std::string_view text, std::string& out);

/// In base64.
void append_json_bytes(const std::string& bytes, std::string& out);

/// A google.protobuf.Timestamp, "2026-11-20T15:04:05.120Z" with 0, 3, 6 or 9 digits behind the
/// point. False, and nothing appended, when the value cannot be written so.
[[nodiscard]] bool append_json_time(const google::protobuf::Message& message, std::string& out);

}  // namespace argosy::ctl
