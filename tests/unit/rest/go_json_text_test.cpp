// SPDX-License-Identifier: Apache-2.0
// Goal: the fast way to write JSON gives the same bytes as the other one. Method: every message
// that a route answers with, filled by a rule that leaves some fields zero and gives others odd
// values.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/dynamic_message.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "messages/codec/rest/go_json.hpp"
#include "messages/codec/rest/rest_calls.hpp"

namespace argosy::codec {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

class filler {
 public:
  explicit filler(unsigned seed) : state_(seed) {}

  void fill(Message& to, int depth = 0) {
    const auto& type = *to.GetDescriptor();
    for (int i = 0; i < type.field_count(); ++i) {
      const auto& field = *type.field(i);
      const bool is_message = field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
      if (next(3) == 0 || (is_message && depth == 4)) continue;
      const int times = field.is_repeated() ? static_cast<int>(next(4)) : 1;
      for (int n = 0; n < times; ++n) set(to, field, depth);
    }
  }

 private:
  unsigned next(unsigned below) {
    state_ = state_ * 1'103'515'245U + 12'345U;
    return (state_ >> 16U) % below;
  }

  void set(Message& to, const FieldDescriptor& field, int depth) {
    const auto& r = *to.GetReflection();
    const auto put = [&](auto one, auto more, auto value) {
      if (field.is_repeated())
        (r.*more)(&to, &field, value);
      else
        (r.*one)(&to, &field, value);
    };
    using access = google::protobuf::Reflection;
    constexpr std::int64_t numbers[] = {0, 1, -7, 1'700'000'000'000'000'000};
    static const std::string texts[] = {"",       "a", "\"\\\n\t\x01", "\xc3\xa9", "\xe2\x80\xa8",
                                        "<&>\x7f"};
    const auto number = numbers[next(4)];
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return put(&access::SetInt32, &access::AddInt32, static_cast<std::int32_t>(number));
      case FieldDescriptor::CPPTYPE_INT64:
        return put(&access::SetInt64, &access::AddInt64, number);
      case FieldDescriptor::CPPTYPE_UINT32:
        return put(&access::SetUInt32, &access::AddUInt32, static_cast<std::uint32_t>(number));
      case FieldDescriptor::CPPTYPE_UINT64:
        return put(&access::SetUInt64, &access::AddUInt64, static_cast<std::uint64_t>(number));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return put(&access::SetDouble, &access::AddDouble, static_cast<double>(number) / 3);
      case FieldDescriptor::CPPTYPE_FLOAT:
        return put(&access::SetFloat, &access::AddFloat, 0.25F);
      case FieldDescriptor::CPPTYPE_BOOL:
        return put(&access::SetBool, &access::AddBool, next(2) == 1);
      case FieldDescriptor::CPPTYPE_ENUM:
        return put(&access::SetEnumValue, &access::AddEnumValue, static_cast<int>(next(2)));
      case FieldDescriptor::CPPTYPE_STRING:
        return put(&access::SetString, &access::AddString, texts[next(6)]);
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return fill(
            field.is_repeated() ? *r.AddMessage(&to, &field) : *r.MutableMessage(&to, &field),
            depth + 1);
    }
  }

  unsigned state_;
};

TEST(go_json_text, is_the_text_of_the_tree_for_every_answer) {
  for (const auto& route : rest_routes()) {
    const auto& method =
        *google::protobuf::DescriptorPool::generated_pool()->FindMethodByName(route.method);
    const auto* const known =
        google::protobuf::MessageFactory::generated_factory()->GetPrototype(method.output_type());
    for (unsigned seed = 0; seed < 50; ++seed) {
      const std::unique_ptr<Message> answer{known->New()};
      filler{seed}.fill(*answer);
      // As it comes over the bus: maps have each key once.
      ASSERT_TRUE(answer->ParsePartialFromString(answer->SerializePartialAsString()));
      EXPECT_EQ(go_json_text(*answer),
                to_go_json(*answer).dump(-1, ' ', false, go_json::error_handler_t::replace))
          << route.method << " " << seed;
    }
  }
}

}  // namespace

}  // namespace argosy::codec
