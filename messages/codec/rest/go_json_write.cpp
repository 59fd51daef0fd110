// SPDX-License-Identifier: Apache-2.0
#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <absl/time/time.h>

#include <cmath>
#include <map>
#include <set>

#include "messages/codec/rest/go_json.hpp"

namespace argosy::codec {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::OneofDescriptor;
using kind = FieldDescriptor::CppType;

/// Fields of Kubernetes objects for which zero says something else than nothing.
const std::set<std::string, std::less<>> kept_when_zero{"terminationGracePeriodSeconds",
                                                        "activeDeadlineSeconds",
                                                        "priority",
                                                        "runAsUser",
                                                        "runAsGroup",
                                                        "fsGroup",
                                                        "runAsNonRoot",
                                                        "privileged",
                                                        "allowPrivilegeEscalation",
                                                        "readOnlyRootFilesystem",
                                                        "automountServiceAccountToken",
                                                        "enableServiceLinks",
                                                        "shareProcessNamespace",
                                                        "hostUsers",
                                                        "optional",
                                                        "defaultMode",
                                                        "mode",
                                                        "tolerationSeconds",
                                                        "expirationSeconds",
                                                        "replicas"};

template <class T>
T get(const Message& from, const FieldDescriptor& field, int at,
      T (google::protobuf::Reflection::*one)(const Message&, const FieldDescriptor*) const,
      T (google::protobuf::Reflection::*many)(const Message&, const FieldDescriptor*, int) const) {
  const auto& access = *from.GetReflection();
  return at < 0 ? (access.*one)(from, &field) : (access.*many)(from, &field, at);
}

/// A whole number is written without a point, as Go writes it.
go_json number(double value) {
  constexpr double whole_max = 1e15;
  if (std::floor(value) == value && std::fabs(value) < whole_max)
    return static_cast<std::int64_t>(value);
  return value;
}

go_json enum_value(const FieldDescriptor& field, int value) {
  if (field.enum_type()->full_name() == "api.RetryAction" && value == 1) return "Fail";
  if (field.enum_type()->full_name() == "api.RetryAction" && value == 2) return "Retry";
  return value;
}

/// The value of a field, or of its element `at`.
go_json value_of(const Message& from, const FieldDescriptor& field, int at = -1) {
  using access = google::protobuf::Reflection;
  const auto take = [&](auto one, auto many) { return get(from, field, at, one, many); };
  switch (field.cpp_type()) {
    case kind::CPPTYPE_INT32:
      return take(&access::GetInt32, &access::GetRepeatedInt32);
    case kind::CPPTYPE_INT64:
      return take(&access::GetInt64, &access::GetRepeatedInt64);
    case kind::CPPTYPE_UINT32:
      return take(&access::GetUInt32, &access::GetRepeatedUInt32);
    case kind::CPPTYPE_UINT64:
      return take(&access::GetUInt64, &access::GetRepeatedUInt64);
    case kind::CPPTYPE_DOUBLE:
      return number(take(&access::GetDouble, &access::GetRepeatedDouble));
    case kind::CPPTYPE_FLOAT:
      return number(take(&access::GetFloat, &access::GetRepeatedFloat));
    case kind::CPPTYPE_BOOL:
      return take(&access::GetBool, &access::GetRepeatedBool);
    case kind::CPPTYPE_ENUM:
      return enum_value(field, take(&access::GetEnumValue, &access::GetRepeatedEnumValue));
    case kind::CPPTYPE_STRING: {
      const auto text = take(&access::GetString, &access::GetRepeatedString);
      return field.type() == FieldDescriptor::TYPE_BYTES ? absl::Base64Escape(text) : text;
    }
    case kind::CPPTYPE_MESSAGE:
      break;
  }
  const auto& reflection = *from.GetReflection();
  return to_go_json(at < 0 ? reflection.GetMessage(from, &field)
                           : reflection.GetRepeatedMessage(from, &field, at));
}

bool is_zero(const go_json& value) {
  return value.is_string()    ? value.get_ref<const std::string&>().empty()
         : value.is_boolean() ? !value.get<bool>()
         : value.is_number()  ? value.get<double>() == 0
                              : false;
}

go_json map_of(const Message& from, const FieldDescriptor& field) {
  std::map<std::string, go_json> sorted;
  const auto& reflection = *from.GetReflection();
  for (int i = 0; i < reflection.FieldSize(from, &field); ++i) {
    const auto& entry = reflection.GetRepeatedMessage(from, &field, i);
    const auto key = value_of(entry, *field.message_type()->map_key());
    sorted[key.is_string() ? key.get<std::string>() : key.dump()] =
        value_of(entry, *field.message_type()->map_value());
  }
  auto out = go_json::object();
  for (auto& [key, value] : sorted) out[key] = std::move(value);
  return out;
}

void write_field(const Message& from, const FieldDescriptor& field, go_json& into) {
  const auto& reflection = *from.GetReflection();
  if (field.is_repeated()) {
    const int size = reflection.FieldSize(from, &field);
    if (size == 0) return;
    if (field.is_map()) {
      into[field.json_name()] = map_of(from, field);
      return;
    }
    auto& list = into[field.json_name()] = go_json::array();
    for (int i = 0; i < size; ++i) list.push_back(value_of(from, field, i));
    return;
  }
  if (field.has_presence() && !reflection.HasField(from, &field)) return;
  auto value = value_of(from, field);
  if (is_inlined(field)) {
    for (auto& [key, inner] : value.items()) into[key] = inner;
    return;
  }
  const bool message = field.cpp_type() == kind::CPPTYPE_MESSAGE;
  if (!message && is_zero(value) && !(field.has_presence() && kept_when_zero.count(field.name())))
    return;
  into[field.json_name()] = std::move(value);
}

/// Go names the field of a oneof after it, with a capital.
std::string go_name(const OneofDescriptor& from) {
  std::string out;
  bool start = true;
  for (const char c : from.name()) {
    if (c != '_') out += start ? absl::ascii_toupper(static_cast<unsigned char>(c)) : c;
    start = c == '_';
  }
  return out;
}

/// The types that Kubernetes writes in forms of their own; null for all others.
go_json special_form(const Message& from) {
  const auto& type = *from.GetDescriptor();
  const auto value = [&](const char* name) { return value_of(from, *type.FindFieldByName(name)); };
  if (type.full_name() == "k8s.io.apimachinery.pkg.api.resource.Quantity") {
    auto text = value("string");
    return is_zero(text) ? go_json("0") : text;
  }
  if (type.full_name() == "k8s.io.apimachinery.pkg.util.intstr.IntOrString")
    return value("type") == 0 ? value("intVal") : value("strVal");
  if (type.full_name() == "k8s.io.apimachinery.pkg.apis.meta.v1.Time")
    return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ",
                            absl::FromUnixSeconds(value("seconds").get<std::int64_t>()),
                            absl::UTCTimeZone());
  return nullptr;
}

}  // namespace

bool is_inlined(const FieldDescriptor& field) {
  static const std::set<std::string, std::less<>> names{
      "volumeSource", "handler", "localObjectReference", "ephemeralContainerCommon",
      "ingressRuleValue"};
  return field.cpp_type() == kind::CPPTYPE_MESSAGE && !field.is_repeated() &&
         field.file()->package().rfind("k8s.", 0) == 0 && names.count(field.name()) > 0;
}

go_json to_go_json(const Message& from) {
  if (auto special = special_form(from); !special.is_null()) return special;
  const auto& type = *from.GetDescriptor();
  auto out = go_json::object();
  const bool plain = type.full_name() == "api.EventMessage";
  for (int i = 0; i < type.field_count(); ++i)
    if (plain || !type.field(i)->real_containing_oneof()) write_field(from, *type.field(i), out);
  if (plain) return out;
  for (int i = 0; i < type.real_oneof_decl_count(); ++i) {
    const auto& choice = *type.oneof_decl(i);
    const auto* chosen = from.GetReflection()->GetOneofFieldDescriptor(from, &choice);
    auto& inner = out[go_name(choice)] = nullptr;
    if (chosen == nullptr) continue;
    inner = go_json::object();
    inner[chosen->json_name()] = value_of(from, *chosen);
  }
  return out;
}

}  // namespace argosy::codec
