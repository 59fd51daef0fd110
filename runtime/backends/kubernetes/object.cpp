// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/object.hpp"

#include "runtime/kube/json_field.hpp"
#include "runtime/kube/rfc3339.hpp"

namespace argosy::backends::object {

const json& part(const json& of, const char* name) {
  static const json nothing;
  const auto* const found = kube::field(of, name);
  return found == nullptr ? nothing : *found;
}

const json& part(const json& of, const char* outer, const char* inner) {
  return part(part(of, outer), inner);
}

std::string text(const json& of, const char* name) {
  return kube::text_field(of, name);
}

std::int64_t number(const json& of, const char* name) {
  const auto& value = part(of, name);
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

bool flag(const json& of, const char* name) {
  const auto& value = part(of, name);
  return value.is_boolean() && value.get<bool>();
}

std::int64_t time(const json& of, const char* name) {
  return parse_time(text(of, name));
}

json delete_options(const std::string& uid) {
  json out{{"kind", "DeleteOptions"}, {"apiVersion", "v1"}};
  if (!uid.empty()) out["preconditions"]["uid"] = uid;
  return out;
}

std::int64_t parse_time(const std::string& text) {
  const auto time = text.ends_with('Z') ? kube::read_rfc3339(text) : std::nullopt;
  return time ? to_nanos(*time) : 0;
}

}  // namespace argosy::backends::object
