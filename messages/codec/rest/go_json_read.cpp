// SPDX-License-Identifier: Apache-2.0
#include <absl/strings/escaping.h>
#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/time/time.h>

#include <limits>
#include <set>

#include "messages/codec/rest/go_json.hpp"

namespace argosy::codec {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using kind = FieldDescriptor::CppType;

error wrong(const std::string& where, const std::string& expected) {
  return {ec::invalid_argument, "the field '" + where + "' is not " + expected};
}

template <class T>
result<T> whole(const go_json& from, const std::string& where) {
  if (from.is_number_unsigned()) {
    const auto value = from.get<std::uint64_t>();
    if (value <= static_cast<std::uint64_t>(std::numeric_limits<T>::max()))
      return static_cast<T>(value);
  } else if (from.is_number_integer()) {
    const auto value = from.get<std::int64_t>();
    if (value >= 0 || (std::numeric_limits<T>::is_signed &&
                       value >= static_cast<std::int64_t>(std::numeric_limits<T>::min())))
      return static_cast<T>(value);
  }
  return fail(wrong(where, "a whole number of its range"));
}

result<int> enum_number(const go_json& from, const FieldDescriptor& field,
                        const std::string& where) {
  if (!from.is_string()) return whole<int>(from, where);
  static const std::set<std::string, std::less<>> by_name{"api.JobState", "api.IngressType",
                                                          "api.ServiceType", "api.RetryAction"};
  const auto& type = *field.enum_type();
  const auto& name = from.get_ref<const std::string&>();
  if (by_name.count(type.full_name()) > 0)
    for (int i = 0; i < type.value_count(); ++i)
      if (type.value(i)->name() == name ||
          absl::EqualsIgnoreCase(type.value(i)->name(), "RETRY_ACTION_" + name))
        return type.value(i)->number();
  return fail(wrong(where, "a value of " + type.name()));
}

result<std::string> text_of(const go_json& from, const FieldDescriptor& field,
                            const std::string& where) {
  if (!from.is_string()) return fail(wrong(where, "a text"));
  auto text = from.get<std::string>();
  if (field.type() != FieldDescriptor::TYPE_BYTES) return text;
  std::string raw;
  if (!absl::Base64Unescape(text, &raw)) return fail(wrong(where, "base64"));
  return raw;
}

/// Sets the field, or adds an element to it.
result<void> set_value(const go_json& from, Message& into, const FieldDescriptor& field,
                       const std::string& where) {
  const auto& access = *into.GetReflection();
  const auto put = [&](auto value, auto set, auto add) -> result<void> {
    if (!value) return fail(value.error());
    if (field.is_repeated())
      (access.*add)(&into, &field, *value);
    else
      (access.*set)(&into, &field, *value);
    return {};
  };
  using google::protobuf::Reflection;
  switch (field.cpp_type()) {
    case kind::CPPTYPE_INT32:
      return put(whole<std::int32_t>(from, where), &Reflection::SetInt32, &Reflection::AddInt32);
    case kind::CPPTYPE_INT64:
      return put(whole<std::int64_t>(from, where), &Reflection::SetInt64, &Reflection::AddInt64);
    case kind::CPPTYPE_UINT32:
      return put(whole<std::uint32_t>(from, where), &Reflection::SetUInt32, &Reflection::AddUInt32);
    case kind::CPPTYPE_UINT64:
      return put(whole<std::uint64_t>(from, where), &Reflection::SetUInt64, &Reflection::AddUInt64);
    case kind::CPPTYPE_DOUBLE:
      if (!from.is_number()) return fail(wrong(where, "a number"));
      return put(result<double>{from.get<double>()}, &Reflection::SetDouble,
                 &Reflection::AddDouble);
    case kind::CPPTYPE_FLOAT:
      if (!from.is_number()) return fail(wrong(where, "a number"));
      return put(result<float>{from.get<float>()}, &Reflection::SetFloat, &Reflection::AddFloat);
    case kind::CPPTYPE_BOOL:
      if (!from.is_boolean()) return fail(wrong(where, "true or false"));
      return put(result<bool>{from.get<bool>()}, &Reflection::SetBool, &Reflection::AddBool);
    case kind::CPPTYPE_ENUM:
      return put(enum_number(from, field, where), &Reflection::SetEnumValue,
                 &Reflection::AddEnumValue);
    case kind::CPPTYPE_STRING: {
      auto text = text_of(from, field, where);
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
  return read_go_json(from, *(field.is_repeated() ? access.AddMessage(&into, &field)
                                                  : access.MutableMessage(&into, &field)));
}

/// A number that is a key of a map stands in a text.
go_json key_of(const std::string& text, const FieldDescriptor& field) {
  if (field.cpp_type() == kind::CPPTYPE_STRING) return text;
  std::int64_t value = 0;
  return absl::SimpleAtoi(text, &value) ? go_json(value) : go_json(text);
}

result<void> read_field(const go_json& from, Message& into, const FieldDescriptor& field) {
  const auto& name = field.json_name();
  if (from.is_null()) return {};
  if (!field.is_repeated()) return set_value(from, into, field, name);
  if (!field.is_map()) {
    if (!from.is_array()) return fail(wrong(name, "a list"));
    for (const auto& item : from)
      if (auto done = set_value(item, into, field, name); !done) return done;
    return {};
  }
  if (!from.is_object()) return fail(wrong(name, "an object"));
  for (const auto& [key, value] : from.items()) {
    auto& entry = *into.GetReflection()->AddMessage(&into, &field);
    const auto& entry_key = *field.message_type()->map_key();
    if (auto done = set_value(key_of(key, entry_key), entry, entry_key, name); !done) return done;
    if (auto done = read_field(value, entry, *field.message_type()->map_value()); !done)
      return done;
  }
  return {};
}

const FieldDescriptor* named(const Descriptor& type, const std::string& name) {
  for (int i = 0; i < type.field_count(); ++i)
    if (absl::EqualsIgnoreCase(type.field(i)->json_name(), name)) return type.field(i);
  return nullptr;
}

/// Reads the types that Kubernetes writes in forms of their own. Says whether this was one.
result<bool> read_special(const go_json& from, Message& into) {
  const auto& type = *into.GetDescriptor();
  const auto set = [&](const char* name, const go_json& value) -> result<bool> {
    if (auto done = set_value(value, into, *type.FindFieldByName(name), name); !done)
      return fail(done.error());
    return true;
  };
  if (type.full_name() == "k8s.io.apimachinery.pkg.api.resource.Quantity") {
    if (from.is_number()) return set("string", from.dump());
    return set("string", from);
  }
  if (type.full_name() == "k8s.io.apimachinery.pkg.util.intstr.IntOrString") {
    if (auto done = set("type", from.is_string() ? 1 : 0); !done) return done;
    return set(from.is_string() ? "strVal" : "intVal", from);
  }
  if (type.full_name() == "k8s.io.apimachinery.pkg.apis.meta.v1.Time") {
    absl::Time when;
    std::string why;
    if (!from.is_string() ||
        !absl::ParseTime(absl::RFC3339_full, from.get_ref<const std::string&>(), &when, &why))
      return fail(wrong(type.name(), "a time such as 2026-01-31T12:00:00Z"));
    return set("seconds", absl::ToUnixSeconds(when));
  }
  return false;
}

}  // namespace

result<go_json> parse_json(std::string_view text) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\')
      ++i;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == '{' || c == '[') && ++depth > json_depth_max)
      return fail(ec::invalid_argument,
                  "the body is nested deeper than " + std::to_string(json_depth_max) + " levels");
    else if (!quoted && (c == '}' || c == ']') && depth > 0)
      --depth;
  }
  auto out = go_json::parse(text, nullptr, false);
  if (out.is_discarded()) return fail(ec::invalid_argument, "the body is not JSON");
  return out;
}

result<void> read_go_json(const go_json& from, Message& into) {
  if (from.is_null()) return {};
  const auto special = read_special(from, into);
  if (!special) return fail(special.error());
  if (*special) return {};
  const auto& type = *into.GetDescriptor();
  if (!from.is_object()) return fail(wrong(type.name(), "an object"));
  for (const auto& [key, value] : from.items())
    if (const auto* field = named(type, key); field != nullptr && !is_inlined(*field))
      if (auto done = read_field(value, into, *field); !done) return done;
  // An inlined message is there only if the object has something of it.
  for (int i = 0; i < type.field_count(); ++i) {
    const auto& field = *type.field(i);
    if (!is_inlined(field)) continue;
    for (const auto& [key, value] : from.items())
      if (named(*field.message_type(), key) != nullptr) {
        auto& inner = *into.GetReflection()->MutableMessage(&into, &field);
        if (auto done = read_go_json(from, inner); !done) return done;
        break;
      }
  }
  return {};
}

result<void> read_parameter(std::string_view path, const std::string& value, Message& into) {
  const auto dot = path.find('.');
  const std::string name{path.substr(0, dot)};
  const auto* field = into.GetDescriptor()->FindFieldByName(name);
  if (field == nullptr) field = named(*into.GetDescriptor(), name);
  if (field == nullptr || field->is_map()) return {};
  if (dot != std::string_view::npos) {
    if (field->cpp_type() != kind::CPPTYPE_MESSAGE || field->is_repeated()) return {};
    return read_parameter(path.substr(dot + 1), value,
                          *into.GetReflection()->MutableMessage(&into, field));
  }
  if (field->cpp_type() == kind::CPPTYPE_MESSAGE) return {};
  if (field->cpp_type() == kind::CPPTYPE_STRING) return set_value(value, into, *field, name);
  auto read = go_json::parse(value, nullptr, false);
  if (read.is_discarded() || read.is_structured()) read = value;
  return set_value(read, into, *field, name);
}

}  // namespace argosy::codec
