// SPDX-License-Identifier: Apache-2.0
// What a record of the audit trail says of a request in a few words, besides whom it is about. It
// is private to messages/codec/audit.
#pragma once

#include <google/protobuf/message.h>

#include <string>
#include <string_view>

#include "runtime/model/call_recorded.hpp"

namespace argosy::codec {

using name_list = google::protobuf::RepeatedPtrField<std::string>;

/// The text in a field; empty if the request has no such field. `name` is in small letters.
[[nodiscard]] std::string text_of(const google::protobuf::Message& request, std::string_view name);
/// The same of a list of texts.
[[nodiscard]] name_list texts_of(const google::protobuf::Message& request, std::string_view name);
/// Counts the texts of a list without copying them; 0 if the request has no such field.
[[nodiscard]] std::size_t count_of(const google::protobuf::Message& request, std::string_view name);

/// Appends words to others, with a comma between them.
inline void add_words(const std::string& words, std::string& to) {
  if (!words.empty()) to += (to.empty() ? "" : ", ") + words;
}
/// The words of a request: those of its own, or what its fields say that mean the same in all.
[[nodiscard]] std::string words_of(const google::protobuf::Message& request);

/// Describes an encoded api.JobSubmitRequest without decoding its jobs, which may be large.
void describe_submission(std::string_view bytes, model::call_recorded& call);

}  // namespace argosy::codec
