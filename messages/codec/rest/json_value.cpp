// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/rest/json_value.hpp"

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <absl/strings/match.h>

#include <cmath>
#include <limits>

#include "runtime/base/suggest.hpp"
#include "runtime/base/text.hpp"

namespace argosy::codec {

using google::protobuf::FieldDescriptor;

namespace {

std::string path_of(const json_place& at) {
  auto out = at.outer == nullptr ? std::string{} : path_of(*at.outer);
  if (at.item) return out + "[" + std::to_string(*at.item) + "]";
  if (!out.empty() && !at.name.empty()) out += '.';
  return out + (at.name.empty() ? std::string{} : shown(at.name));
}

template <class T>
std::optional<T> whole_of(const go_json& number) {
  using limits = std::numeric_limits<T>;
  if (number.is_number_unsigned()) {
    const auto value = number.get<std::uint64_t>();
    if (value > static_cast<std::uint64_t>(limits::max())) return std::nullopt;
    return static_cast<T>(value);
  }
  if (number.is_number_integer()) {
    const auto value = number.get<std::int64_t>();
    if (value < static_cast<std::int64_t>(limits::min())) return std::nullopt;
    return static_cast<T>(value);
  }
  if (!number.is_number_float()) return std::nullopt;
  const auto value = number.get<double>();
  // One more than the greatest number is a power of two, which a double holds exactly. Its negative
  // may as well have been a smaller number that was rounded.
  const auto beyond = std::ldexp(1.0, limits::digits);
  if (std::trunc(value) != value || value >= beyond ||
      (limits::is_signed ? value <= -beyond : value < 0))
    return std::nullopt;
  return static_cast<T>(value);
}

}  // namespace

std::string subject(const json_place& at) {
  const auto path = path_of(at);
  return path.empty() ? "the request" : "the field '" + path + "'";
}

failure wrong(const json_place& at, const std::string& expected) {
  return fail(ec::invalid_argument, subject(at) + " is not " + expected);
}

failure not_known(const json_place& at, const std::vector<std::string_view>& known) {
  return fail(ec::invalid_argument, subject(at) + " is not known" + did_you_mean(at.name, known));
}

go_json number_in(const go_json& from) {
  if (!from.is_string()) return from;
  const auto& text = from.get_ref<const std::string&>();
  const bool bare = !text.empty() && (text[0] == '-' || absl::ascii_isdigit(text[0])) &&
                    absl::ascii_isdigit(text.back());
  auto read = bare ? go_json::parse(text, nullptr, false) : go_json{};
  return read.is_number() ? read : go_json{};
}

template <class T>
result<T> read_whole(const go_json& from, const json_place& at) {
  const auto value = whole_of<T>(number_in(from));
  if (!value)
    return wrong(at, "a whole number from " + std::to_string(std::numeric_limits<T>::min()) +
                         " to " + std::to_string(std::numeric_limits<T>::max()));
  return *value;
}

template result<std::int32_t> read_whole(const go_json&, const json_place&);
template result<std::int64_t> read_whole(const go_json&, const json_place&);
template result<std::uint32_t> read_whole(const go_json&, const json_place&);
template result<std::uint64_t> read_whole(const go_json&, const json_place&);

template <class T>
result<T> read_real(const go_json& from, const json_place& at) {
  using limits = std::numeric_limits<T>;
  if (from == "NaN") return limits::quiet_NaN();
  if (from == "Infinity") return limits::infinity();
  if (from == "-Infinity") return -limits::infinity();
  const auto number = number_in(from);
  if (!number.is_number()) return wrong(at, "a number");
  const auto value = number.get<double>();
  if (std::fabs(value) > static_cast<double>(limits::max()))
    return wrong(at, "a number that is small enough");
  return static_cast<T>(value);
}

template result<float> read_real(const go_json&, const json_place&);
template result<double> read_real(const go_json&, const json_place&);

result<int> read_enum(const go_json& from, const FieldDescriptor& field, const json_place& at) {
  if (from.is_number()) return read_whole<std::int32_t>(from, at);
  const auto& type = *field.enum_type();
  std::vector<std::string_view> names;
  for (int i = 0; i < type.value_count(); ++i) names.emplace_back(type.value(i)->name());
  if (!from.is_string()) return wrong(at, "a value of " + type.name());
  const auto& name = from.get_ref<const std::string&>();
  for (int i = 0; i < type.value_count(); ++i)
    // Armada's own files leave out what all names of this type begin with.
    if (type.value(i)->name() == name ||
        (type.full_name() == "api.RetryAction" &&
         absl::EqualsIgnoreCase(type.value(i)->name(), "RETRY_ACTION_" + name)))
      return type.value(i)->number();
  return wrong(at, "a value of " + type.name() + did_you_mean(name, names));
}

result<std::string> read_text(const go_json& from, const FieldDescriptor& field,
                              const json_place& at) {
  if (!from.is_string()) return wrong(at, "a text");
  auto text = from.get<std::string>();
  if (field.type() != FieldDescriptor::TYPE_BYTES) return text;
  std::string raw;
  if (!absl::Base64Unescape(text, &raw) && !absl::WebSafeBase64Unescape(text, &raw))
    return wrong(at, "base64");
  return raw;
}

}  // namespace argosy::codec
