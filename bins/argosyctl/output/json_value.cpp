// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/output/json_value.hpp"

#include <fmt/format.h>
#include <google/protobuf/timestamp.pb.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>
#include <google/protobuf/wrappers.pb.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <iterator>
#include <memory>

#include "runtime/base/check.hpp"

namespace argosy::ctl {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
namespace util = google::protobuf::util;

/// Prints through json_util a value that is rare enough to take the slow way.
std::string slow_json(const std::string& type, const std::string& bytes) {
  static const std::unique_ptr<util::TypeResolver> types{util::NewTypeResolverForDescriptorPool(
      "type.googleapis.com", google::protobuf::DescriptorPool::generated_pool())};
  std::string out;
  const auto status =
      util::BinaryToJsonString(types.get(), "type.googleapis.com/" + type, bytes, &out);
  ARGOSY_CHECK(status.ok());
  return out;
}

bool is_simple(char c) {
  return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '<' && c != '>';
}

/// The letter of the escape that json_util writes with two characters; 0 if it has none.
char short_escape(char c) {
  switch (c) {
    case '"':
    case '\\':
      return c;
    case '\n':
      return 'n';
    case '\t':
      return 't';
    case '\r':
      return 'r';
    default:
      return 0;
  }
}

template <class Value>
void append_decimal(Value value, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{}", value);
}

template <class Value>
void append_quoted(const Value& value, std::string& out) {
  fmt::format_to(std::back_inserter(out), "\"{}\"", value);
}

/// Prints the number with the fewer of two numbers of digits that still give the same value.
template <class Number>
void append_real(Number value, int digits, int digits_max, std::string& out) {
  if (std::isnan(value)) {
    out += "\"NaN\"";
  } else if (std::isinf(value)) {
    out += value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  } else {
    auto text = fmt::format("{:.{}g}", value, digits);
    Number again{};
    std::from_chars(text.data(), text.data() + text.size(), again);
    out += again == value ? text : fmt::format("{:.{}g}", value, digits_max);
  }
}

/// Appends the number with zeros in front of it.
void append_digits(std::int64_t value, std::size_t digits, std::string& out) {
  out.append(digits, '0');
  for (auto at = out.end(); value != 0; value /= 10) *--at = static_cast<char>('0' + value % 10);
}

void append_part(char before, std::int64_t value, std::string& out) {
  out += before;
  append_digits(value, 2, out);
}

}  // namespace

bool append_json_time(const Message& message, std::string& out) {
  const auto& at = static_cast<const google::protobuf::Timestamp&>(message);
  constexpr std::int64_t first = -62'135'596'800;
  constexpr std::int64_t last = 253'402'300'799;
  const auto nanos = at.nanos();
  if (at.seconds() < first || at.seconds() > last || nanos < 0 || nanos >= 1'000'000'000)
    return false;
  const std::chrono::sys_seconds time{std::chrono::seconds{at.seconds()}};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  out += '"';
  append_digits(static_cast<int>(date.year()), 4, out);
  append_part('-', static_cast<unsigned>(date.month()), out);
  append_part('-', static_cast<unsigned>(date.day()), out);
  append_part('T', clock.hours().count(), out);
  append_part(':', clock.minutes().count(), out);
  append_part(':', clock.seconds().count(), out);
  if (nanos != 0) out += '.';
  if (nanos % 1'000 != 0)
    append_digits(nanos, 9, out);
  else if (nanos % 1'000'000 != 0)
    append_digits(nanos / 1'000, 6, out);
  else if (nanos != 0)
    append_digits(nanos / 1'000'000, 3, out);
  out += "Z\"";
  return true;
}

void append_scalar(const scalar& value, std::string& out) {
  switch (value.of->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return append_decimal(value.get(&Reflection::GetInt32, &Reflection::GetRepeatedInt32), out);
    case FieldDescriptor::CPPTYPE_UINT32:
      return append_decimal(value.get(&Reflection::GetUInt32, &Reflection::GetRepeatedUInt32), out);
    case FieldDescriptor::CPPTYPE_INT64:
      return append_quoted(value.get(&Reflection::GetInt64, &Reflection::GetRepeatedInt64), out);
    case FieldDescriptor::CPPTYPE_UINT64:
      return append_quoted(value.get(&Reflection::GetUInt64, &Reflection::GetRepeatedUInt64), out);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return append_real(value.get(&Reflection::GetDouble, &Reflection::GetRepeatedDouble), 15, 17,
                         out);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return append_real(value.get(&Reflection::GetFloat, &Reflection::GetRepeatedFloat), 6, 9,
                         out);
    case FieldDescriptor::CPPTYPE_BOOL:
      out += value.get(&Reflection::GetBool, &Reflection::GetRepeatedBool) ? "true" : "false";
      return;
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto number = value.get(&Reflection::GetEnumValue, &Reflection::GetRepeatedEnumValue);
      const auto* named = value.of->enum_type()->FindValueByNumber(number);
      return named == nullptr ? append_decimal(number, out) : append_quoted(named->name(), out);
    }
    case FieldDescriptor::CPPTYPE_STRING:
    case FieldDescriptor::CPPTYPE_MESSAGE:
      break;
  }
  ARGOSY_CHECK(false);
}

void append_json_string(std::string_view text, std::string& out) {
  const auto start = out.size();
  out += '"';
  std::size_t copied = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_simple(text[i])) continue;
    const auto escape = short_escape(text[i]);
    if (escape == 0) {
      // The rest of the rules is long, so that json_util prints text with such characters. A
      // message of bytes has the same form on the wire, but is not checked on its way there.
      google::protobuf::BytesValue raw;
      raw.set_value(text.data(), text.size());
      out.resize(start);
      out += slow_json("google.protobuf.StringValue", raw.SerializeAsString());
      return;
    }
    out += text.substr(copied, i - copied);
    out += '\\';
    out += escape;
    copied = i + 1;
  }
  out += text.substr(copied);
  out += '"';
}

void append_json_bytes(const std::string& bytes, std::string& out) {
  google::protobuf::BytesValue value;
  value.set_value(bytes);
  out += slow_json(value.GetDescriptor()->full_name(), value.SerializeAsString());
}

}  // namespace argosy::ctl
