// SPDX-License-Identifier: Apache-2.0
// What a record of the audit trail says of a request in a few words, besides whom it is about. It
// is private to messages/codec/audit.
#pragma once

#include <string>
#include <string_view>

#include "messages/proto/api/binoculars.pb.h"
#include "messages/proto/api/submit.pb.h"
#include "messages/proto/argosy/diag.pb.h"
#include "messages/proto/argosy/settings.pb.h"
#include "messages/proto/argosy/v1.pb.h"
#include "runtime/model/call_recorded.hpp"

namespace argosy::codec {

/// Appends words to others, with a comma between them.
inline void add_words(const std::string& words, std::string& to) {
  if (!words.empty()) to += (to.empty() ? "" : ", ") + words;
}

using name_list = google::protobuf::RepeatedPtrField<std::string>;
/// "pools a, b and 3 more"; empty for an empty list.
[[nodiscard]] std::string words_of(const char* what, const name_list& names);

[[nodiscard]] std::string words_of(const api::Queue& queue);
[[nodiscard]] std::string words_of(const api::QueueList& list);
[[nodiscard]] std::string words_of(const api::JobReprioritizeRequest& request);
[[nodiscard]] std::string words_of(const api::JobSetCancelRequest& request);
[[nodiscard]] std::string words_of(const api::RetryPolicy& policy);
[[nodiscard]] std::string words_of(const v1::UpdateSettingsRequest& request);
[[nodiscard]] std::string words_of(const v1::SetLogLevelRequest& request);
/// "job 01k9..." for those who read its output.
[[nodiscard]] std::string words_of(const v1::ReadLogRequest& request);
[[nodiscard]] std::string words_of(const binoculars::LogRequest& request);
/// "states QUEUED, RUNNING"; empty for an empty list.
[[nodiscard]] std::string state_words(const google::protobuf::RepeatedField<int>& states);

/// The words of all other requests, by those of their fields that mean the same in all of them.
template <class Request>
[[nodiscard]] std::string words_of(const Request& request) {
  std::string out;
  if constexpr (requires { request.cordoned(); })
    add_words(request.cordoned() ? "cordon" : "no cordon", out);
  if constexpr (requires { request.keep_runs(); })
    add_words(request.keep_runs() ? "no preemption" : "preemption", out);
  if constexpr (requires { request.jobstates(); }) add_words(state_words(request.jobstates()), out);
  if constexpr (requires { request.queues(); })
    add_words(words_of("queues", request.queues()), out);
  if constexpr (requires { request.priorityclasses(); })
    add_words(words_of("classes", request.priorityclasses()), out);
  if constexpr (requires { request.pools(); }) add_words(words_of("pools", request.pools()), out);
  if constexpr (requires { request.dry_run(); })
    if (request.dry_run()) add_words("dry run", out);
  if constexpr (requires { request.cordonreason(); })
    if (!request.cordonreason().empty()) add_words("reason: " + request.cordonreason(), out);
  if constexpr (requires { request.reason(); })
    if (!request.reason().empty()) add_words("reason: " + request.reason(), out);
  return out;
}

/// Describes an encoded api.JobSubmitRequest without decoding its jobs, which may be large.
void describe_submission(std::string_view bytes, model::call_recorded& call);

}  // namespace argosy::codec
