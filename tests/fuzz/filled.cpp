// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/filled.hpp"

#include <google/protobuf/descriptor.h>

#include <algorithm>

#include "messages/codec/api/method_list.hpp"
#include "tests/fuzz/target.hpp"

namespace argosy::fuzz {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using kind = FieldDescriptor::CppType;

constexpr int depth_max = 7;

std::string text_for(const FieldDescriptor& field) {
  if (field.type() == FieldDescriptor::TYPE_BYTES) return std::string(16, '\x05');
  std::string out = field.name();
  std::ranges::replace(out, '_', '-');
  if (out == "value" || out == "string") return "1";
  return out;
}

void fill_field(Message& out, const FieldDescriptor& field, int depth) {
  const auto& with = *out.GetReflection();
  const bool many = field.is_repeated();
  switch (field.cpp_type()) {
    case kind::CPPTYPE_MESSAGE:
      if (depth < depth_max)
        fill(many ? *with.AddMessage(&out, &field) : *with.MutableMessage(&out, &field), depth + 1);
      return;
    case kind::CPPTYPE_STRING:
      return many ? with.AddString(&out, &field, text_for(field))
                  : with.SetString(&out, &field, text_for(field));
    case kind::CPPTYPE_INT32:
      return many ? with.AddInt32(&out, &field, 1) : with.SetInt32(&out, &field, 1);
    case kind::CPPTYPE_INT64:
      return many ? with.AddInt64(&out, &field, 1) : with.SetInt64(&out, &field, 1);
    case kind::CPPTYPE_UINT32:
      return many ? with.AddUInt32(&out, &field, 1) : with.SetUInt32(&out, &field, 1);
    case kind::CPPTYPE_UINT64:
      return many ? with.AddUInt64(&out, &field, 1) : with.SetUInt64(&out, &field, 1);
    case kind::CPPTYPE_DOUBLE:
      return many ? with.AddDouble(&out, &field, 1) : with.SetDouble(&out, &field, 1);
    case kind::CPPTYPE_FLOAT:
      return many ? with.AddFloat(&out, &field, 1) : with.SetFloat(&out, &field, 1);
    case kind::CPPTYPE_BOOL:
      return many ? with.AddBool(&out, &field, true) : with.SetBool(&out, &field, true);
    case kind::CPPTYPE_ENUM:
      return many ? with.AddEnumValue(&out, &field, 1) : with.SetEnumValue(&out, &field, 1);
  }
}

}  // namespace

void fill(Message& out, int depth) {
  const auto& type = *out.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) fill_field(out, *type.field(i), depth);
}

std::unique_ptr<Message> message_named(const std::string& type) {
  const auto* const found =
      google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(type);
  require(found != nullptr, "there is no message " + type);
  return std::unique_ptr<Message>{
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(found)->New()};
}

std::string filled(const std::string& type) {
  const auto out = message_named(type);
  fill(*out);
  return out->SerializeAsString();
}

const std::vector<std::unique_ptr<Message>>& request_types() {
  static const auto all = [] {
    std::vector<std::unique_ptr<Message>> out;
    for (const auto& each : codec::api_methods())
      out.push_back(message_named(codec::descriptor_of(each.name)->input_type()->full_name()));
    return out;
  }();
  return all;
}

}  // namespace argosy::fuzz
