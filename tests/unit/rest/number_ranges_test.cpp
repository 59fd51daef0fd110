// SPDX-License-Identifier: Apache-2.0
// Goal: every number that a request can have is bounded, or is known to be bounded by its handler,
// and a number outside is refused with its place and its range. Method: the requests of all methods
// are walked by their descriptors, and each field is given the numbers at and beyond its ends.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>

#include "messages/codec/api/method_list.hpp"
#include "messages/codec/number_ranges.hpp"
#include "messages/proto/api/submit.pb.h"
#include "messages/proto/k8s/pod.pb.h"

namespace argosy::codec {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::MessageFactory;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

bool is_real(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE ||
         field.cpp_type() == FieldDescriptor::CPPTYPE_FLOAT;
}

bool is_number(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
    case FieldDescriptor::CPPTYPE_INT64:
    case FieldDescriptor::CPPTYPE_UINT32:
    case FieldDescriptor::CPPTYPE_UINT64:
      return true;
    default:
      return is_real(field);
  }
}

void walk(const Descriptor& type, std::set<const Descriptor*>& seen,
          std::set<const FieldDescriptor*>& numbers) {
  if (!seen.insert(&type).second) return;
  for (int i = 0; i < type.field_count(); ++i) {
    const auto& field = *type.field(i);
    if (is_number(field)) numbers.insert(&field);
    if (field.message_type() != nullptr) walk(*field.message_type(), seen, numbers);
  }
}

/// The fields that are numbers in the requests of all methods.
std::set<const FieldDescriptor*> all_numbers() {
  std::set<const Descriptor*> seen;
  std::set<const FieldDescriptor*> out;
  for (const auto& each : api_methods()) {
    auto name = each.path.substr(1);
    name[name.find('/')] = '.';
    const auto* method = DescriptorPool::generated_pool()->FindMethodByName(name);
    if (method == nullptr) {
      ADD_FAILURE() << name << " is not known";
      continue;
    }
    walk(*method->input_type(), seen, out);
  }
  return out;
}

/// Sets the field to the number if its type has it; whether it has.
bool set(Message& message, const FieldDescriptor& field, double to) {
  const auto& how = *message.GetReflection();
  const auto whole = [&]<class Int>(Int) -> std::optional<Int> {
    const auto least = static_cast<double>(std::numeric_limits<Int>::min());
    const auto beyond =
        static_cast<double>(std::numeric_limits<Int>::max()) + (sizeof(Int) == 4 ? 1 : 0);
    if (!(to >= least && to < beyond)) return std::nullopt;
    return static_cast<Int>(to);
  };
  const auto put = [&](auto value, auto add, auto assign) {
    if (!value) return false;
    if (field.is_repeated())
      (how.*add)(&message, &field, *value);
    else
      (how.*assign)(&message, &field, *value);
    return true;
  };
  using google::protobuf::Reflection;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return put(whole(std::int32_t{}), &Reflection::AddInt32, &Reflection::SetInt32);
    case FieldDescriptor::CPPTYPE_INT64:
      return put(whole(std::int64_t{}), &Reflection::AddInt64, &Reflection::SetInt64);
    case FieldDescriptor::CPPTYPE_UINT32:
      return put(whole(std::uint32_t{}), &Reflection::AddUInt32, &Reflection::SetUInt32);
    case FieldDescriptor::CPPTYPE_UINT64:
      return put(whole(std::uint64_t{}), &Reflection::AddUInt64, &Reflection::SetUInt64);
    default:
      return put(std::optional{to}, &Reflection::AddDouble, &Reflection::SetDouble);
  }
}

/// What is said to a message that has this number in this field alone.
std::string said_to(const FieldDescriptor& field, double number) {
  const auto& type = *field.containing_type();
  const std::unique_ptr<Message> message{
      MessageFactory::generated_factory()->GetPrototype(&type)->New()};
  if (!set(*message, field, number)) return "not of its type";
  const auto checked = check_numbers(*message, "here");
  return checked ? std::string{} : checked.error().detail;
}

TEST(number_ranges, have_a_row_for_every_number_of_every_request_and_no_other) {
  std::set<std::string_view> used;
  for (const auto* field : all_numbers()) {
    const auto* row = range_of(*field);
    EXPECT_NE(row, nullptr) << field->full_name();
    if (row != nullptr) used.insert(row->field);
  }
  std::string_view before;
  for (const auto& row : number_ranges()) {
    EXPECT_LT(before, row.field) << "rows are sorted, or they are not found";
    EXPECT_TRUE(used.contains(row.field)) << row.field << " is in no request";
    before = row.field;
  }
}

TEST(number_ranges, are_kept_at_their_ends_and_refused_beyond_with_field_and_range) {
  for (const auto* field : all_numbers()) {
    const auto* row = range_of(*field);
    if (row == nullptr || !row->bounded()) continue;
    const auto name = field->full_name();
    EXPECT_THAT(said_to(*field, row->least), IsEmpty()) << name;
    for (const double number : {row->least - 1, -1e300, -9223372036854775808.0, -2147483648.0,
                                row->most + 1, 2147483648.0, 4294967295.0, 9223372036854774784.0,
                                1e300, std::numeric_limits<double>::infinity()}) {
      // Such a field with 0 counts as not set.
      if (number == 0 && !field->has_presence() && !field->is_repeated()) continue;
      const auto said = said_to(*field, number);
      if (said == "not of its type" || (number >= row->least && number <= row->most)) continue;
      EXPECT_THAT(said, HasSubstr("here." + field->name())) << name << " " << number;
      EXPECT_THAT(said, ::testing::AnyOf(HasSubstr(" is outside "), HasSubstr(" is below ")))
          << name << " " << number;
    }
  }
}

TEST(number_ranges, refuse_everywhere_what_is_not_a_number) {
  for (const auto* field : all_numbers())
    if (is_real(*field))
      EXPECT_THAT(said_to(*field, std::nan("")), HasSubstr(": is not a number"))
          << field->full_name();
}

TEST(number_ranges, have_amounts_beside_them_that_are_some) {
  k8s::io::api::core::v1::PodSpec pod;
  auto& limit = *pod.add_volumes()->mutable_volumesource()->mutable_emptydir()->mutable_sizelimit();
  for (const auto* good : {"64Mi", "0", "1e6", ""}) {
    limit.set_string(good);
    EXPECT_TRUE(check_numbers(pod)) << good;
  }
  for (const auto* bad : {"NaN", " 5", "0x5", "-1", "1e300", "\xd9\xa3"}) {
    limit.set_string(bad);
    const auto refused = check_numbers(pod);
    ASSERT_FALSE(refused) << bad;
    EXPECT_THAT(refused.error().detail, ::testing::StartsWith("volumes[0]."));
  }
}

TEST(number_ranges, name_the_place_however_deep_it_is) {
  api::JobSubmitRequest request;
  auto& pod = *request.add_job_request_items()->mutable_pod_spec();
  pod.add_containers();
  pod.add_containers()->mutable_livenessprobe()->set_periodseconds(-5);
  EXPECT_EQ(check_numbers(request).error().detail,
            "job_request_items[0].pod_spec.containers[1].livenessProbe.periodSeconds: -5 is "
            "outside 0 to 2147483647");
  api::Queue queue;
  (*queue.mutable_resource_limits())["cpu"] = std::nan("");
  EXPECT_EQ(check_numbers(queue).error().detail, "resource_limits[\"cpu\"].value: is not a number");
  queue.Clear();
  EXPECT_TRUE(check_numbers(queue));
}

}  // namespace
}  // namespace argosy::codec
