// SPDX-License-Identifier: Apache-2.0
// How the keys of a YAML mapping become fields of one message type. A plan is made once from the
// type's descriptor and then looked up by text. It is thread-safe.
#pragma once

#include <google/protobuf/descriptor.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "messages/codec/text_hash.hpp"

namespace argosy::submit_file {

class message_plan;

/// How a file writes messages that it writes as one scalar.
enum class scalar_form : std::uint8_t {
  none,           ///< Written as a mapping.
  quantity,       ///< For example "500m".
  int_or_string,  ///< For example 80 or "http".
  time,           ///< For example "2026-01-31T12:00:00Z".
};

struct field_plan {
  const google::protobuf::FieldDescriptor* field = nullptr;
  /// The outermost embedded field that has this field on the wire, while files write it beside it:
  /// `emptyDir` of a volume stands in its `volumeSource`. Null for ordinary fields.
  const google::protobuf::FieldDescriptor* inlined_in = nullptr;
  /// The plan of the message type, or of a map's value type; null for scalars.
  const message_plan* message = nullptr;
};

class message_plan {
 public:
  /// The one plan of a type. It lives as long as the process.
  static const message_plan& of(const google::protobuf::Descriptor* type);

  /// The field of a key; null if the type has none of that name.
  [[nodiscard]] const field_plan* find(std::string_view key) const {
    const auto at = fields_.find(key);
    return at == fields_.end() ? nullptr : &at->second;
  }
  [[nodiscard]] const std::vector<std::string_view>& keys() const noexcept { return keys_; }
  [[nodiscard]] scalar_form form() const noexcept { return form_; }

 private:
  void fill(const google::protobuf::Descriptor* type);
  void add(std::string_view key, const field_plan& plan);

  codec::text_map<std::string_view, field_plan> fields_;
  std::vector<std::string_view> keys_;
  scalar_form form_ = scalar_form::none;
};

}  // namespace argosy::submit_file
