// SPDX-License-Identifier: Apache-2.0
// The encoder writes a YAML mapping in the wire form of a message type, without a message object in
// between, so that 100,000 jobs take about a second. One caller owns it; it is not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "messages/submit_file/message_plan.hpp"
#include "messages/submit_file/mistakes.hpp"
#include "runtime/base/result.hpp"
#include "runtime/settings/yaml/document.hpp"

namespace argosy::submit_file {

class encoder {
 public:
  /// With a list, which must outlive the encoder, mistakes inside a value are noted there and do
  /// not end its encoding; what was written is of no use then. Without one the first mistake is the
  /// error.
  explicit encoder(mistake_list* mistakes = nullptr) : mistakes_(mistakes) {}

  /// Appends the fields of `node`. Errors are ec::invalid_argument, "FILE:LINE:COLUMN: message":
  /// not a mapping, unknown field (with the nearest known one), wrong type, number out of range,
  /// bad quantity, time, base64 or enumerator. A null value is the same as an absent key.
  result<void> encode(const yaml::node& node, const message_plan& plan, std::string& out);

  /// Does the same for one key and value, for callers that treat some keys themselves.
  result<void> encode_entry(const yaml::node& key, const yaml::node& value,
                            const message_plan& plan, std::string& out);

 private:
  result<void> encode_field(const yaml::node& value, const field_plan& plan, std::string& out);
  result<void> encode_map(const yaml::node& value, const field_plan& plan, std::string& out);
  result<void> encode_pair(const yaml::node& key, const yaml::node& value, const field_plan& plan,
                           std::string& out);
  result<void> encode_one(const yaml::node& value, const field_plan& plan,
                          const google::protobuf::FieldDescriptor* field, std::string_view map_key,
                          std::string& out);
  result<void> encode_message(const yaml::node& value, const message_plan& plan,
                              std::string_view map_key, std::string& out);
  /// Whether to go on after this outcome.
  bool goes_on(const result<void>& outcome);

  mistake_list* mistakes_;
  /// One buffer per depth of nesting, since an inner message is written before its length is known.
  /// It is a deque, since references to outer buffers live while inner ones are added.
  std::deque<std::string> buffers_;
  std::size_t depth_ = 0;
  friend class scratch;
};

}  // namespace argosy::submit_file
