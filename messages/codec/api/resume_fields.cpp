// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/api/resume_fields.hpp"

#include <google/protobuf/descriptor.h>

#include <array>
#include <string>

#include "messages/codec/api/resume_token.hpp"

namespace argosy::codec {

namespace {

constexpr std::array resume_rows{
    resume_field{"ExplainJobRequest.round", "the number of the round", true},
    resume_field{"ReadLogRequest.offset", "the offset in the output"},
    resume_field{"ReadLogRequest.position", "the position in the output"},
    resume_field{"UpdateSettingsRequest.expected_change", "the number of the change"},
};

/// The field of the row; null: it is one of another message.
const google::protobuf::FieldDescriptor* row_field_of(const google::protobuf::Descriptor& type,
                                                      const resume_field& row) {
  const auto dot = row.field.find('.');
  if (row.field.substr(0, dot) != type.name()) return nullptr;
  return type.FindFieldByName(std::string{row.field.substr(dot + 1)});
}

}  // namespace

std::span<const resume_field> resume_fields() {
  return resume_rows;
}

result<void> check_mark(const google::protobuf::Message& request, const model::lineage& history,
                        model::log_position now) {
  const auto& type = *request.GetDescriptor();
  const auto& read = *request.GetReflection();
  const auto mark = read.GetString(request, type.FindFieldByName("mark"));
  std::string_view what = "the mark";
  for (const auto& row : resume_rows) {
    const auto* const field = row_field_of(type, row);
    if (field == nullptr || !read.HasField(request, field)) continue;
    what = row.what;
    if (mark.empty() && (!row.typed || history.was_put_back())) return fail(without_mark(what));
  }
  if (mark.empty()) return {};
  const auto place = parse_log_place(mark);
  if (!place) return fail(ec::invalid_argument, "the mark is not from an answer of this service");
  if (place->position > now || !history.has(*place)) return fail(of_another_history(what));
  return {};
}

}  // namespace argosy::codec
