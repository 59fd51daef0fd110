// SPDX-License-Identifier: Apache-2.0
// The fields of requests by which a caller goes on later and that do not name their history
// themselves, as ids of events and cursors do. Such a request has a field `mark` besides, for what
// the answer said that told the number.
#pragma once

#include <google/protobuf/message.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/base/result.hpp"
#include "runtime/model/lineage.hpp"

namespace argosy::codec {

/// A request with numbers of these, or an answer that tells some.
template <class Message>
concept marked_message = requires(Message& message) {
  message.mutable_mark();
};

struct resume_field {
  std::string_view field;  ///< Message and field: "ReadLogRequest.offset".
  std::string_view what;   ///< Its name in errors: "the offset in the output".
  /// People type it as they have read it somewhere. It is taken without a mark for as long as no
  /// other history can have had the number.
  bool typed = false;
};

[[nodiscard]] std::span<const resume_field> resume_fields();

/// Checks the field `mark` of a request that has one. ec::conflict, with a sentence that ends in
/// "read again from the beginning": the mark is of another history than this one, which ends at
/// `now`, or it is empty though a field that needs it is set. ec::invalid_argument: it is no mark.
[[nodiscard]] result<void> check_mark(const google::protobuf::Message& request,
                                      const model::lineage& history, model::log_position now);

}  // namespace argosy::codec
