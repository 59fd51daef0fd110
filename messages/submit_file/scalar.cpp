// SPDX-License-Identifier: Apache-2.0
#include "messages/submit_file/scalar.hpp"

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "messages/submit_file/wire_writer.hpp"
#include "runtime/base/suggest.hpp"
#include "runtime/base/text.hpp"
#include "runtime/base/whole_number.hpp"
#include "runtime/model/quantity.hpp"

namespace argosy::submit_file {

namespace {

using google::protobuf::FieldDescriptor;
using yaml::fail_at;
using yaml::node;

failure expected(const node& value, const FieldDescriptor* field, const std::string& what) {
  const auto& name =
      field->containing_type()->map_key() != nullptr ? std::string{"it"} : field->json_name();
  if (!value.is_scalar())
    return fail_at(value, "'" + name + "' takes " + what + ", not several values");
  if (!value.plain() && field->type() == FieldDescriptor::TYPE_BOOL)
    return fail_at(value, "'" + name + "' takes " + what + "; " + quoted(value.text()) +
                              " is text, write it without quotes");
  return fail_at(value, "'" + name + "' takes " + what + "; " + quoted(value.text()) + " is none");
}

/// Whether the text is for a process, which may be given any; others name things or are read by
/// people.
bool is_for_process(const FieldDescriptor* field) {
  const auto& name = field->full_name();
  return name == "k8s.io.api.core.v1.Container.command" ||
         name == "k8s.io.api.core.v1.Container.args" ||
         name == "k8s.io.api.core.v1.ExecAction.command" ||
         name == "k8s.io.api.core.v1.EnvVar.value";
}

failure refuse_control(const node& value, std::size_t at, std::string_view where) {
  return fail_at(value, "control character " + name_control_character(value.text(), at) +
                            " is not allowed in '" + std::string{where} +
                            "'; only command, args and values of env may have it");
}

result<void> put_text(const node& value, const FieldDescriptor* field, std::string& out) {
  if (!value.is_scalar()) return expected(value, field, "text");
  if (const auto bad = find_control_character(value.text()); bad && !is_for_process(field))
    return refuse_control(value, *bad, field->json_name());
  put_bytes(field->number(), value.text(), out);
  return {};
}

/// Reads a plain decimal number that is the whole text and in the range of T.
template <class T>
std::optional<T> read_integer(const node& value) {
  auto text = value.text();
  if (!value.plain()) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  return whole_number<T>(text);
}

std::optional<double> read_real(std::string_view text) {
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{} || end != text.data() + text.size() || !std::isfinite(number))
    return std::nullopt;
  return number;
}

/// Reads a number as the JSON of protobuf has it, since files are written by programs as well: also
/// in quotation marks, and a whole one also as 1.0 or 1e3.
template <class T>
std::optional<T> read_whole(const node& value) {
  auto text = value.is_scalar() ? value.text() : std::string_view{};
  if (text.starts_with('+') && value.plain()) text.remove_prefix(1);
  if (const auto number = whole_number<T>(text)) return number;
  if (text.find_first_of(".eE") == std::string_view::npos) return std::nullopt;
  const auto real = read_real(text);
  // One more than the greatest number is a power of two, which a double holds exactly.
  const auto beyond = std::ldexp(1.0, std::numeric_limits<T>::digits);
  if (!real || std::trunc(*real) != *real || *real >= beyond ||
      *real < (std::numeric_limits<T>::is_signed ? -beyond : 0.0))
    return std::nullopt;
  return static_cast<T>(*real);
}

template <class T>
result<void> put_integer(const node& value, const FieldDescriptor* field, std::string& out) {
  const auto number = read_whole<T>(value);
  if (!number)
    return expected(value, field,
                    "a whole number from " + std::to_string(std::numeric_limits<T>::min()) +
                        " to " + std::to_string(std::numeric_limits<T>::max()));
  // The number is sign-extended, as protobuf writes negative numbers.
  put_number(field->number(), static_cast<std::uint64_t>(static_cast<std::int64_t>(*number)), out);
  return {};
}

result<void> put_floating(const node& value, const FieldDescriptor* field, std::string& out) {
  const auto number = value.is_scalar() ? read_real(value.text()) : std::nullopt;
  if (!number) return expected(value, field, "a number");
  put_double(field->number(), *number, out);
  return {};
}

result<void> put_boolean(const node& value, const FieldDescriptor* field, std::string& out) {
  const auto text = value.text();
  const bool yes = text == "true" || text == "True" || text == "TRUE";
  const bool no = text == "false" || text == "False" || text == "FALSE";
  if (!value.is_scalar() || !value.plain() || !(yes || no))
    return expected(value, field, "true or false");
  put_number(field->number(), yes ? 1 : 0, out);
  return {};
}

result<void> put_enumerator(const node& value, const FieldDescriptor* field, std::string& out) {
  if (!value.is_scalar()) return expected(value, field, "a name");
  const auto* type = field->enum_type();
  const auto* known = type->FindValueByName(std::string{value.text()});
  // Armada's files leave out what all names of this type begin with.
  if (known == nullptr && type->full_name() == "api.RetryAction")
    known =
        type->FindValueByName("RETRY_ACTION_" + absl::AsciiStrToUpper(std::string{value.text()}));
  if (known == nullptr)
    if (const auto number = whole_number<int>(value.text()))
      known = type->FindValueByNumber(*number);
  if (known != nullptr) {
    put_number(field->number(), static_cast<std::uint64_t>(known->number()), out);
    return {};
  }
  std::vector<std::string_view> names;
  std::string list;
  for (int i = 0; i < type->value_count(); ++i) {
    names.push_back(type->value(i)->name());
    list += (i == 0 ? "" : ", ") + type->value(i)->name();
  }
  return fail_at(value, "'" + field->json_name() + "': " + quoted(value.text()) +
                            " is not one of " + list + did_you_mean(value.text(), names));
}

result<void> put_binary(const node& value, const FieldDescriptor* field, std::string& out) {
  std::string bytes;
  if (!value.is_scalar() ||
      !absl::Base64Unescape(absl::string_view{value.text().data(), value.text().size()}, &bytes))
    return fail_at(value, "'" + field->json_name() + "' takes bytes in base64");
  put_bytes(field->number(), bytes, out);
  return {};
}

/// Takes exactly `count` digits from the front of `text`.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
  int number = 0;
  if (text.size() < count) return std::nullopt;
  const auto [end, status] = std::from_chars(text.data(), text.data() + count, number);
  if (status != std::errc{} || end != text.data() + count || text[0] == '-') return std::nullopt;
  text.remove_prefix(count);
  return number;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

struct instant {
  std::int64_t seconds = 0;
  std::int32_t nanos = 0;
};

/// Takes the offset from UTC, such as "Z" or "+01:00", in seconds.
std::optional<int> take_offset(std::string_view& text) {
  if (take(text, 'Z') || take(text, 'z')) return 0;
  const int sign = text.starts_with('-') ? -1 : 1;
  if (!take(text, '+') && !take(text, '-')) return std::nullopt;
  const auto hours = take_digits(text, 2);
  const bool colon = take(text, ':');
  const auto minutes = take_digits(text, 2);
  if (!hours || !colon || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  return sign * (*hours * 3600 + *minutes * 60);
}

std::optional<std::int32_t> take_fraction(std::string_view& text) {
  std::int32_t nanos = 0;
  int digits = 0;
  for (; !text.empty() && text[0] >= '0' && text[0] <= '9'; text.remove_prefix(1))
    if (digits < 9) {
      nanos = nanos * 10 + (text[0] - '0');
      ++digits;
    }
  if (digits == 0) return std::nullopt;
  for (; digits < 9; ++digits) nanos *= 10;
  return nanos;
}

std::optional<instant> read_time(std::string_view text) {
  const auto year = take_digits(text, 4);
  const bool first = take(text, '-');
  const auto month = take_digits(text, 2);
  const bool second = take(text, '-');
  const auto day = take_digits(text, 2);
  const bool between = take(text, 'T') || take(text, 't') || take(text, ' ');
  const auto hour = take_digits(text, 2);
  const bool third = take(text, ':');
  const auto minute = take_digits(text, 2);
  const bool fourth = take(text, ':');
  const auto whole = take_digits(text, 2);
  if (!year || !first || !month || !second || !day || !between || !hour || !third || !minute ||
      !fourth || !whole)
    return std::nullopt;
  instant out;
  if (take(text, '.')) {
    const auto fraction = take_fraction(text);
    if (!fraction) return std::nullopt;
    out.nanos = *fraction;
  }
  const auto offset = take_offset(text);
  const std::chrono::year_month_day date{std::chrono::year{*year},
                                         std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!offset || !text.empty() || !date.ok() || *hour > 23 || *minute > 59 || *whole > 60)
    return std::nullopt;
  const auto days = std::chrono::sys_days{date}.time_since_epoch().count();
  out.seconds = std::int64_t{days} * 86'400 + *hour * 3600 + *minute * 60 + *whole - *offset;
  return out;
}

}  // namespace

std::string quoted(std::string_view text) {
  return "'" + std::string{text.substr(0, 60)} + (text.size() > 60 ? "...'" : "'");
}

result<void> put_scalar(const node& value, const FieldDescriptor* field, std::string& out) {
  switch (field->type()) {
    case FieldDescriptor::TYPE_STRING:
      return put_text(value, field, out);
    case FieldDescriptor::TYPE_BYTES:
      return put_binary(value, field, out);
    case FieldDescriptor::TYPE_BOOL:
      return put_boolean(value, field, out);
    case FieldDescriptor::TYPE_INT32:
      return put_integer<std::int32_t>(value, field, out);
    case FieldDescriptor::TYPE_INT64:
      return put_integer<std::int64_t>(value, field, out);
    case FieldDescriptor::TYPE_UINT32:
      return put_integer<std::uint32_t>(value, field, out);
    case FieldDescriptor::TYPE_DOUBLE:
      return put_floating(value, field, out);
    case FieldDescriptor::TYPE_ENUM:
      return put_enumerator(value, field, out);
    default:
      return fail(ec::internal,
                  "field " + field->full_name() + " has a type that files never have");
  }
}

result<void> put_quantity(const node& value, std::string_view resource, std::string& out) {
  if (!value.is_scalar()) return fail_at(value, "expected a quantity, for example 500m or 64Mi");
  // Without a resource it is no request, but for example the size of a volume.
  auto amount = resource.empty() ? model::parse_quantity(value.text(), model::resource_unit::milli)
                                 : model::parse_quantity(value.text(), model::unit_of(resource),
                                                         model::request_max);
  if (!amount)
    return fail_at(value, (resource.empty() ? std::string{} : std::string{resource} + ": ") +
                              amount.error().detail);
  put_bytes(1, value.text(), out);
  return {};
}

result<void> put_int_or_string(const node& value, std::string& out) {
  if (!value.is_scalar()) return fail_at(value, "expected a number or a name, for example a port");
  if (const auto number = read_integer<std::int32_t>(value)) {
    put_number(1, 0, out);
    put_number(2, static_cast<std::uint64_t>(std::int64_t{*number}), out);
    return {};
  }
  if (const auto bad = find_control_character(value.text()))
    return refuse_control(value, *bad, "port");
  put_number(1, 1, out);
  put_bytes(3, value.text(), out);
  return {};
}

result<void> put_time(const node& value, std::string& out) {
  const auto time = value.is_scalar() ? read_time(value.text()) : std::nullopt;
  if (!time) return fail_at(value, "expected a time, for example 2026-01-31T12:00:00Z");
  put_number(1, static_cast<std::uint64_t>(time->seconds), out);
  if (time->nanos != 0) put_number(2, static_cast<std::uint64_t>(time->nanos), out);
  return {};
}

}  // namespace argosy::submit_file
