// SPDX-License-Identifier: Apache-2.0
// Prints single values of messages as proto3 JSON, as protobuf's json_util does. json_writer uses
// it.
#pragma once

#include <google/protobuf/message.h>

#include <string>
#include <string_view>

namespace argosy::ctl {

/// The two getters by which protobuf's reflection reads a field and an item of a list.
template <class Value>
using field_getter = Value (google::protobuf::Reflection::*)(
    const google::protobuf::Message&, const google::protobuf::FieldDescriptor*) const;
template <class Value>
using item_getter = Value (google::protobuf::Reflection::*)(
    const google::protobuf::Message&, const google::protobuf::FieldDescriptor*, int) const;

/// A field, or an item of a list if the index is not negative.
struct scalar {
  const google::protobuf::Message& message;
  const google::protobuf::Reflection& reflection;
  const google::protobuf::FieldDescriptor* of;
  int index;

  /// Reads the value with the two getters of the field's type.
  template <class Value>
  Value get(field_getter<Value> field, item_getter<Value> item) const {
    return index < 0 ? (reflection.*field)(message, of) : (reflection.*item)(message, of, index);
  }
  /// Reads text or bytes; `scratch` may be used to hold it.
  const std::string& text(std::string& scratch) const {
    return index < 0 ? reflection.GetStringReference(message, of, &scratch)
                     : reflection.GetRepeatedStringReference(message, of, index, &scratch);
  }
};

/// Appends any value but text, bytes and messages.
void append_scalar(const scalar& value, std::string& out);

/// Appends the text as a JSON string, quotes included.
void append_json_string(std::string_view text, std::string& out);

/// Appends the bytes in base64.
void append_json_bytes(const std::string& bytes, std::string& out);

/// Appends a google.protobuf.Timestamp: "2026-11-20T15:04:05.120Z" with 0, 3, 6 or 9 digits behind
/// the point. Returns false, and appends nothing, when the value cannot be written in this form.
[[nodiscard]] bool append_json_time(const google::protobuf::Message& message, std::string& out);

}  // namespace argosy::ctl
