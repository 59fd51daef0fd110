// SPDX-License-Identifier: Apache-2.0
#include <absl/strings/ascii.h>
#include <absl/time/time.h>

#include <algorithm>
#include <unordered_map>

#include "messages/codec/rest/go_json.hpp"
#include "messages/codec/rest/json_value.hpp"
#include "runtime/base/utf8.hpp"

namespace argosy::codec {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using kind = FieldDescriptor::CppType;

/// A field by its names, and the messages around it whose fields stand in the same object.
struct known_field {
  const FieldDescriptor* field = nullptr;
  std::vector<const FieldDescriptor*> inlined_in{};
};

struct known_type {
  std::unordered_map<std::string, known_field> by_name{};  ///< In small letters.
  std::vector<std::string_view> names{};                   ///< As JSON has them.
};

void add_fields(const Descriptor& type, const std::vector<const FieldDescriptor*>& inlined_in,
                known_type& into) {
  for (int i = 0; i < type.field_count(); ++i) {
    const auto& field = *type.field(i);
    if (is_inlined(field)) continue;
    if (!into.by_name.try_emplace(absl::AsciiStrToLower(field.json_name()), &field, inlined_in)
             .second)
      continue;
    into.by_name.try_emplace(absl::AsciiStrToLower(field.name()), &field, inlined_in);
    into.names.emplace_back(field.json_name());
  }
  for (int i = 0; i < type.field_count(); ++i) {
    if (!is_inlined(*type.field(i))) continue;
    auto around = inlined_in;
    around.push_back(type.field(i));
    add_fields(*type.field(i)->message_type(), around, into);
  }
}

const known_type& known(const Descriptor& type) {
  thread_local std::unordered_map<const Descriptor*, known_type> types;
  const auto [at, is_new] = types.try_emplace(&type);
  if (is_new) add_fields(type, {}, at->second);
  return at->second;
}

const known_field* find(const Descriptor& type, std::string_view name) {
  const auto& fields = known(type).by_name;
  const auto found = fields.find(absl::AsciiStrToLower({name.data(), name.size()}));
  return found == fields.end() ? nullptr : &found->second;
}

class reader {
 public:
  explicit reader(unknown_fields unknown) : unknown_(unknown) {}

  result<void> read_message(const go_json& from, Message& into, const json_place& at) const;
  /// Reads what the query string has for one field.
  result<void> read_parameter(std::string_view path, const std::string& value, Message& into,
                              const json_place& outer) const;

 private:
  result<void> read_member(const std::string& name, const go_json& value, Message& into,
                           std::vector<const FieldDescriptor*>& seen, const json_place& at) const;
  result<void> read_field(const go_json& from, Message& into, const FieldDescriptor& field,
                          const json_place& at) const;
  result<void> read_entry(const std::string& key, const go_json& value, Message& into,
                          const FieldDescriptor& field, const json_place& at) const;
  /// Sets the field, or adds an element to it.
  result<void> set_value(const go_json& from, Message& into, const FieldDescriptor& field,
                         const json_place& at) const;
  /// Reads the types that Kubernetes writes in forms of their own. Says whether this was one.
  result<bool> read_special(const go_json& from, Message& into, const json_place& at) const;

  unknown_fields unknown_;
};

result<void> reader::set_value(const go_json& from, Message& into, const FieldDescriptor& field,
                               const json_place& at) const {
  const auto& access = *into.GetReflection();
  const auto put = [&](auto value, auto set, auto add) -> result<void> {
    if (!value) return fail(value.error());
    if (field.is_repeated())
      (access.*add)(&into, &field, *value);
    else
      (access.*set)(&into, &field, *value);
    return {};
  };
  switch (field.cpp_type()) {
    case kind::CPPTYPE_INT32:
      return put(read_whole<std::int32_t>(from, at), &Reflection::SetInt32, &Reflection::AddInt32);
    case kind::CPPTYPE_INT64:
      return put(read_whole<std::int64_t>(from, at), &Reflection::SetInt64, &Reflection::AddInt64);
    case kind::CPPTYPE_UINT32:
      return put(read_whole<std::uint32_t>(from, at), &Reflection::SetUInt32,
                 &Reflection::AddUInt32);
    case kind::CPPTYPE_UINT64:
      return put(read_whole<std::uint64_t>(from, at), &Reflection::SetUInt64,
                 &Reflection::AddUInt64);
    case kind::CPPTYPE_DOUBLE:
      return put(read_real<double>(from, at), &Reflection::SetDouble, &Reflection::AddDouble);
    case kind::CPPTYPE_FLOAT:
      return put(read_real<float>(from, at), &Reflection::SetFloat, &Reflection::AddFloat);
    case kind::CPPTYPE_BOOL:
      if (!from.is_boolean()) return wrong(at, "true or false");
      return put(result<bool>{from.get<bool>()}, &Reflection::SetBool, &Reflection::AddBool);
    case kind::CPPTYPE_ENUM:
      return put(read_enum(from, field, at), &Reflection::SetEnumValue, &Reflection::AddEnumValue);
    case kind::CPPTYPE_STRING: {
      auto text = read_text(from, field, at);
      if (!text) return fail(text.error());
      if (field.is_repeated())
        access.AddString(&into, &field, *text);
      else
        access.SetString(&into, &field, *text);
      return {};
    }
    case kind::CPPTYPE_MESSAGE:
      break;
  }
  auto& inner = *(field.is_repeated() ? access.AddMessage(&into, &field)
                                      : access.MutableMessage(&into, &field));
  return read_message(from, inner, at);
}

result<void> reader::read_entry(const std::string& key, const go_json& value, Message& into,
                                const FieldDescriptor& field, const json_place& at) const {
  auto& entry = *into.GetReflection()->AddMessage(&into, &field);
  if (auto done = set_value(key, entry, *field.message_type()->map_key(), at); !done) return done;
  if (value.is_null()) return fail(ec::invalid_argument, subject(at) + " is null");
  return set_value(value, entry, *field.message_type()->map_value(), at);
}

result<void> reader::read_field(const go_json& from, Message& into, const FieldDescriptor& field,
                                const json_place& at) const {
  if (from.is_null()) return {};
  if (!field.is_repeated()) return set_value(from, into, field, at);
  if (field.is_map()) {
    if (!from.is_object()) return wrong(at, "an object");
    for (const auto& [key, value] : from.items())
      if (auto done = read_entry(key, value, into, field, {&at, key}); !done) return done;
    return {};
  }
  if (!from.is_array()) return wrong(at, "a list");
  for (std::size_t i = 0; i < from.size(); ++i) {
    const json_place item{&at, {}, i};
    if (from[i].is_null()) return fail(ec::invalid_argument, subject(item) + " is null");
    if (auto done = set_value(from[i], into, field, item); !done) return done;
  }
  return {};
}

result<bool> reader::read_special(const go_json& from, Message& into, const json_place& at) const {
  const auto& type = *into.GetDescriptor();
  const auto set = [&](const char* name, const go_json& value) -> result<bool> {
    if (auto done = set_value(value, into, *type.FindFieldByName(name), at); !done)
      return fail(done.error());
    return true;
  };
  if (type.full_name() == "k8s.io.apimachinery.pkg.api.resource.Quantity") {
    if (from.is_number()) return set("string", from.dump());
    if (!from.is_string()) return wrong(at, "a quantity, such as 2 or \"500m\" or \"64Mi\"");
    return set("string", from);
  }
  if (type.full_name() == "k8s.io.apimachinery.pkg.util.intstr.IntOrString") {
    if (auto done = set("type", from.is_string() ? 1 : 0); !done) return done;
    return set(from.is_string() ? "strVal" : "intVal", from);
  }
  if (type.full_name() == "k8s.io.apimachinery.pkg.apis.meta.v1.Time") {
    absl::Time when;
    std::string why;
    // The library takes "infinite-future" for a time as well.
    if (!from.is_string() || !absl::ascii_isdigit(from.get_ref<const std::string&>()[0]) ||
        !absl::ParseTime(absl::RFC3339_full, from.get_ref<const std::string&>(), &when, &why))
      return wrong(at, "a time such as 2026-01-31T12:00:00Z");
    return set("seconds", absl::ToUnixSeconds(when));
  }
  return false;
}

result<void> reader::read_member(const std::string& name, const go_json& value, Message& into,
                                 std::vector<const FieldDescriptor*>& seen,
                                 const json_place& at) const {
  const auto& type = *into.GetDescriptor();
  const auto* found = find(type, name);
  if (found == nullptr) {
    if (unknown_ == unknown_fields::passed) return {};
    return not_known(at, known(type).names);
  }
  if (std::find(seen.begin(), seen.end(), found->field) != seen.end())
    return fail(ec::invalid_argument, subject(at) + " is there twice");
  seen.push_back(found->field);
  if (value.is_null()) return {};
  auto* inner = &into;
  for (const auto* around : found->inlined_in)
    inner = inner->GetReflection()->MutableMessage(inner, around);
  const auto* choice = found->field->real_containing_oneof();
  if (choice != nullptr && inner->GetReflection()->HasOneof(*inner, choice))
    return fail(ec::invalid_argument,
                subject(at) + " cannot stand beside another choice of '" + choice->name() + "'");
  return read_field(value, *inner, *found->field, at);
}

result<void> reader::read_message(const go_json& from, Message& into, const json_place& at) const {
  const auto special = read_special(from, into, at);
  if (!special) return fail(special.error());
  if (*special) return {};
  if (!from.is_object()) return wrong(at, "an object");
  std::vector<const FieldDescriptor*> seen;
  for (const auto& [key, value] : from.items())
    if (auto done = read_member(key, value, into, seen, {&at, key}); !done) return done;
  return {};
}

result<void> reader::read_parameter(std::string_view path, const std::string& value, Message& into,
                                    const json_place& outer) const {
  const auto dot = path.find('.');
  const json_place at{&outer, path.substr(0, dot)};
  if (!is_utf8(value)) return fail(ec::invalid_argument, subject(at) + " is no text in UTF-8");
  const auto& type = *into.GetDescriptor();
  const auto* found = find(type, at.name);
  if (found == nullptr || !found->inlined_in.empty() || found->field->is_map()) {
    if (unknown_ == unknown_fields::passed) return {};
    return not_known(at, known(type).names);
  }
  const auto& field = *found->field;
  const bool is_message = field.cpp_type() == kind::CPPTYPE_MESSAGE;
  const bool goes_inside = dot != std::string_view::npos;
  if (goes_inside != is_message || (is_message && field.is_repeated()))
    return fail(ec::invalid_argument,
                subject(at) + (is_message ? " is no single value" : " has no fields of its own"));
  if (goes_inside)
    return read_parameter(path.substr(dot + 1), value,
                          *into.GetReflection()->MutableMessage(&into, &field), at);
  if (!field.is_repeated() && into.GetReflection()->HasField(into, &field))
    return fail(ec::invalid_argument, subject(at) + " is there twice");
  if (field.cpp_type() == kind::CPPTYPE_BOOL) {
    if (value == "true") return set_value(true, into, field, at);
    if (value == "false") return set_value(false, into, field, at);
  }
  const bool is_number = field.cpp_type() == kind::CPPTYPE_ENUM && !number_in(value).is_null();
  return set_value(is_number ? number_in(value) : go_json(value), into, field, at);
}

}  // namespace

result<void> read_go_json(const go_json& from, Message& into, unknown_fields unknown) {
  if (from.is_null()) return {};
  return reader{unknown}.read_message(from, into, {});
}

result<void> read_parameter(std::string_view path, const std::string& value, Message& into,
                            unknown_fields unknown) {
  return reader{unknown}.read_parameter(path, value, into, {});
}

result<void> check_members(const go_json& of, const std::string& where,
                           const std::vector<std::string_view>& known, unknown_fields unknown) {
  if (unknown == unknown_fields::passed) return {};
  const json_place outer{nullptr, where};
  for (const auto& [name, value] : of.items())
    if (std::find(known.begin(), known.end(), name) == known.end())
      return not_known({&outer, name}, known);
  return {};
}

}  // namespace argosy::codec
