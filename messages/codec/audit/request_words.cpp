// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/audit/request_words.hpp"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "messages/proto/api/binoculars.pb.h"
#include "messages/proto/api/submit.pb.h"
#include "messages/proto/argosy/diag.pb.h"
#include "messages/proto/argosy/settings.pb.h"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::codec {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr int names_max = 5;

/// The number as briefly as it can be written.
std::string brief(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

/// "pools a, b and 3 more"; empty for an empty list.
std::string words_of(const char* what, const name_list& names) {
  if (names.empty()) return {};
  std::string out{what};
  for (int i = 0; i < std::min(names.size(), names_max); ++i)
    out += (i == 0 ? " " : ", ") + names[i];
  if (const auto more = names.size() - names_max; more > 0)
    out += " and " + std::to_string(more) + " more";
  return out;
}

/// "states QUEUED, RUNNING"; empty for an empty list.
std::string state_words(const google::protobuf::RepeatedField<int>& states) {
  name_list names;
  for (const auto state : states)
    *names.Add() = api::JobState_IsValid(state)
                       ? api::JobState_Name(static_cast<api::JobState>(state))
                       : std::to_string(state);
  return words_of("states", names);
}

std::string words_of(const api::Queue& queue) {
  auto out = "priority factor " + brief(queue.priority_factor());
  if (queue.cordoned()) add_words("cordon", out);
  add_words(words_of("owners", queue.user_owners()), out);
  add_words(words_of("groups", queue.group_owners()), out);
  return out;
}

std::string words_of(const api::QueueList& list) {
  name_list names;
  for (const auto& queue : list.queues()) *names.Add() = queue.name();
  return names.empty() ? "no queues" : words_of("queues", names);
}

std::string words_of(const api::JobReprioritizeRequest& request) {
  return "priority " + brief(request.new_priority());
}

std::string words_of(const api::JobSetCancelRequest& request) {
  auto out = state_words(request.filter().states());
  if (!request.reason().empty()) add_words("reason: " + request.reason(), out);
  return out;
}

std::string words_of(const api::RetryPolicy& policy) {
  return "limit " + std::to_string(policy.retry_limit()) + ", " +
         std::to_string(policy.rules_size()) + (policy.rules_size() == 1 ? " rule" : " rules");
}

std::string words_of(const v1::UpdateSettingsRequest& request) {
  name_list set;
  for (const auto& key : request.set()) *set.Add() = key.name() + ": " + key.value().substr(0, 40);
  auto out = words_of("set", set);
  add_words(words_of("unset", request.unset()), out);
  if (request.dry_run()) add_words("dry run", out);
  return out;
}

std::string words_of(const v1::SetLogLevelRequest& request) {
  auto out = "level " + request.level().substr(0, 40);
  if (!request.component().empty()) out += " of " + request.component().substr(0, 40);
  if (request.duration_ns() != 0)
    out += " for " + brief(static_cast<double>(request.duration_ns()) / 1e9) + " s";
  return out;
}

/// "job 01k9..." for those who read its output.
std::string words_of(const v1::ReadLogRequest& request) {
  return "job " + request.job_id().substr(0, 40);
}

std::string words_of(const binoculars::LogRequest& request) {
  return "job " + request.job_id().substr(0, 40);
}

std::string words_of(const api::QueueCancelRequest& request) {
  auto out = state_words(request.jobstates());
  add_words(words_of("classes", request.priorityclasses()), out);
  add_words(words_of("pools", request.pools()), out);
  return out;
}

/// Whether the request is one of these, whose words are its own.
template <class... Known>
bool say_own(const Message& request, std::string& out) {
  const auto say = [&]<class One>(const One* known) {
    if (known != nullptr) out = words_of(*known);
    return known != nullptr;
  };
  return (say(dynamic_cast<const Known*>(&request)) || ...);
}

/// The field if the request has one of this kind; otherwise null.
const FieldDescriptor* find_field(const Message& request, std::string_view name,
                                  FieldDescriptor::CppType type, bool repeated = false) {
  const auto* field = request.GetDescriptor()->FindFieldByLowercaseName(std::string{name});
  const bool fits =
      field != nullptr && field->cpp_type() == type && field->is_repeated() == repeated;
  return fits ? field : nullptr;
}

/// Returns one of two words, by whether the field is true; empty if the request has no such field.
std::string flag_words(const Message& request, const char* name, const char* yes, const char* no) {
  const auto* field = find_field(request, name, FieldDescriptor::CPPTYPE_BOOL);
  if (field == nullptr) return {};
  return request.GetReflection()->GetBool(request, field) ? yes : no;
}

}  // namespace

std::string text_of(const Message& request, std::string_view name) {
  const auto* field = find_field(request, name, FieldDescriptor::CPPTYPE_STRING);
  return field == nullptr ? std::string{} : request.GetReflection()->GetString(request, field);
}

name_list texts_of(const Message& request, std::string_view name) {
  name_list out;
  const auto* field = find_field(request, name, FieldDescriptor::CPPTYPE_STRING, true);
  const auto& reflection = *request.GetReflection();
  for (int i = 0; field != nullptr && i < reflection.FieldSize(request, field); ++i)
    *out.Add() = reflection.GetRepeatedString(request, field, i);
  return out;
}

std::size_t count_of(const Message& request, std::string_view name) {
  const auto* field = find_field(request, name, FieldDescriptor::CPPTYPE_STRING, true);
  return field == nullptr
             ? 0
             : static_cast<std::size_t>(request.GetReflection()->FieldSize(request, field));
}

std::string words_of(const Message& request) {
  std::string out;
  if (say_own<api::Queue, api::QueueList, api::QueueCancelRequest, api::JobReprioritizeRequest,
              api::JobSetCancelRequest, api::RetryPolicy, v1::UpdateSettingsRequest,
              v1::SetLogLevelRequest, v1::ReadLogRequest, binoculars::LogRequest>(request, out))
    return out;
  add_words(flag_words(request, "cordoned", "cordon", "no cordon"), out);
  add_words(flag_words(request, "keep_runs", "no preemption", "preemption"), out);
  for (const auto& [name, title] :
       {std::pair{"queues", "queues"}, std::pair{"priorityclasses", "classes"},
        std::pair{"pools", "pools"}})
    add_words(words_of(title, texts_of(request, name)), out);
  add_words(flag_words(request, "dry_run", "dry run", ""), out);
  for (const auto* name : {"cordonreason", "reason"})
    if (const auto text = text_of(request, name); !text.empty()) add_words("reason: " + text, out);
  return out;
}

void describe_submission(std::string_view bytes, model::call_recorded& call) {
  using google::protobuf::internal::WireFormatLite;
  using fields = api::JobSubmitRequest;
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return;
  google::protobuf::io::CodedInputStream input{reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                               static_cast<int>(bytes.size())};
  while (const auto tag = input.ReadTag()) {
    const auto field = WireFormatLite::GetTagFieldNumber(tag);
    if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      if (!WireFormatLite::SkipField(&input, tag)) return;
      continue;
    }
    std::uint32_t size = 0;
    if (!input.ReadVarint32(&size)) return;
    const auto at = static_cast<std::size_t>(input.CurrentPosition());
    if (size > bytes.size() - at || !input.Skip(static_cast<int>(size))) return;
    if (field == fields::kQueueFieldNumber) call.queue = model::queue_name{bytes.substr(at, size)};
    if (field == fields::kJobSetIdFieldNumber) call.job_set = bytes.substr(at, size);
    if (field == fields::kJobRequestItemsFieldNumber) ++call.jobs;
  }
}

}  // namespace argosy::codec
