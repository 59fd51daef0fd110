// SPDX-License-Identifier: Apache-2.0
// Reads parts of Kubernetes objects. What is not there, or of another type than it should be, reads
// as empty: an object of a newer Kubernetes never stops an agent.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace argosy::backends::object {

using nlohmann::json;

/// The member, or null.
[[nodiscard]] const json& part(const json& of, const char* name);
/// The member of a member: part(part(of, outer), inner).
[[nodiscard]] const json& part(const json& of, const char* outer, const char* inner);
/// The member as text; empty if it is none.
[[nodiscard]] std::string text(const json& of, const char* name);
/// A whole number; 0 if it is none.
[[nodiscard]] std::int64_t number(const json& of, const char* name);
[[nodiscard]] bool flag(const json& of, const char* name);
/// A point in time as Unix nanoseconds; 0 if there is none, or if it is the beginning of 1970,
/// which stands for none.
[[nodiscard]] std::int64_t time(const json& of, const char* name);

/// The body of a DELETE, which takes effect on the object with this UID alone: another may have its
/// name by now. Empty: on any.
[[nodiscard]] json delete_options(const std::string& uid);

/// "2026-11-22T10:04:05Z", with or without parts of a second; 0 for anything else.
[[nodiscard]] std::int64_t parse_time(const std::string& text);

}  // namespace argosy::backends::object
