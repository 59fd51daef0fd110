// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/output/json_writer.hpp"

#include <fmt/format.h>
#include <google/protobuf/timestamp.pb.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>
#include <google/protobuf/wrappers.pb.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <iterator>
#include <unordered_map>
#include <vector>

#include "runtime/base/check.hpp"

namespace argosy::ctl {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
namespace util = google::protobuf::util;

/// What is rare enough to be left to json_util.
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

/// The escape of a character that json_util writes with two; 0 if it has none.
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

/// The fewest of two numbers of digits that give the same value again.
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

/// With zeros in front.
void append_digits(std::int64_t value, std::size_t digits, std::string& out) {
  out.append(digits, '0');
  for (auto at = out.end(); value != 0; value /= 10) *--at = static_cast<char>('0' + value % 10);
}

void append_part(char before, std::int64_t value, std::string& out) {
  out += before;
  append_digits(value, 2, out);
}

/// "2026-11-20T15:04:05.120Z" with 0, 3, 6 or 9 digits behind the point; false when the value is
/// none that can be written so.
bool append_timestamp(const Message& message, std::string& out) {
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

bool is_well_known(const Descriptor* type) {
  return type->file()->package() == "google.protobuf" &&
         type->full_name() != "google.protobuf.Empty";
}

template <class Value>
using field_getter = Value (Reflection::*)(const Message&, const FieldDescriptor*) const;
template <class Value>
using item_getter = Value (Reflection::*)(const Message&, const FieldDescriptor*, int) const;

/// A field, or with an index that is not negative an item of a list.
struct scalar {
  const Message& message;
  const Reflection& reflection;
  const FieldDescriptor* of;
  int index;

  template <class Value>
  Value get(field_getter<Value> field, item_getter<Value> item) const {
    return index < 0 ? (reflection.*field)(message, of) : (reflection.*item)(message, of, index);
  }
  const std::string& text(std::string& scratch) const {
    return index < 0 ? reflection.GetStringReference(message, of, &scratch)
                     : reflection.GetRepeatedStringReference(message, of, index, &scratch);
  }
};

/// Anything but text and messages.
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

/// The entries of a map by their keys.
std::vector<const Message*> sorted_entries(const Message& message, const FieldDescriptor* of) {
  const auto& reflection = *message.GetReflection();
  const auto* key = of->message_type()->map_key();
  std::vector<const Message*> entries;
  for (int i = 0; i < reflection.FieldSize(message, of); ++i)
    entries.push_back(&reflection.GetRepeatedMessage(message, of, i));
  if (entries.empty()) return entries;
  const auto by = [&](auto get) {
    std::sort(entries.begin(), entries.end(),
              [&](const Message* a, const Message* b) { return get(*a) < get(*b); });
  };
  const auto& inner = *entries.front()->GetReflection();
  switch (key->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      by([&](const Message& entry) { return inner.GetInt32(entry, key); });
      break;
    case FieldDescriptor::CPPTYPE_UINT32:
      by([&](const Message& entry) { return inner.GetUInt32(entry, key); });
      break;
    case FieldDescriptor::CPPTYPE_INT64:
      by([&](const Message& entry) { return inner.GetInt64(entry, key); });
      break;
    case FieldDescriptor::CPPTYPE_UINT64:
      by([&](const Message& entry) { return inner.GetUInt64(entry, key); });
      break;
    case FieldDescriptor::CPPTYPE_BOOL:
      by([&](const Message& entry) { return inner.GetBool(entry, key); });
      break;
    default:
      by([&](const Message& entry) { return inner.GetString(entry, key); });
  }
  return entries;
}

void append_key(const Message& entry, const FieldDescriptor* key, std::string& out) {
  const scalar value{entry, *entry.GetReflection(), key, -1};
  if (key->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
    std::string scratch;
    return append_json_string(value.text(scratch), out);
  }
  std::string text;
  append_scalar(value, text);
  if (text.starts_with('"'))
    out += text;
  else
    append_quoted(text, out);
}

}  // namespace

/// What is needed of a field, since its descriptor is slow to ask.
struct json_writer::field {
  explicit field(const FieldDescriptor* of)
      : descriptor(of),
        opening("\"" + of->json_name() + "\":"),
        is_map(of->is_map()),
        is_list(of->is_repeated()),
        is_message(of->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE),
        is_text(of->cpp_type() == FieldDescriptor::CPPTYPE_STRING),
        is_bytes(of->type() == FieldDescriptor::TYPE_BYTES),
        may_be_absent(!is_list && (is_message || of->containing_oneof() != nullptr)) {
    if (is_map) value = std::make_unique<field>(of->message_type()->map_value());
  }

  const FieldDescriptor* descriptor;
  std::string opening;  ///< The name, quoted, and the colon.
  bool is_map;
  bool is_list;
  bool is_message;
  bool is_text;  ///< Or bytes.
  bool is_bytes;
  bool may_be_absent;            ///< Even with defaults.
  std::unique_ptr<field> value;  ///< Of a map.
};

struct json_writer::plan {
  bool is_time = false;
  std::vector<field> ordered;  ///< For messages with their defaults.
  std::unordered_map<const FieldDescriptor*, std::size_t> index;
};

struct json_writer::plans {
  const Descriptor* sparse = nullptr;
  std::unordered_map<const Descriptor*, plan> by_type;
};

json_writer::json_writer(const Descriptor* sparse) : plans_(std::make_unique<plans>()) {
  plans_->sparse = sparse;
}

json_writer::~json_writer() = default;

const json_writer::plan& json_writer::plan_of(const Descriptor* type) {
  const auto [at, fresh] = plans_->by_type.try_emplace(type);
  auto& made = at->second;
  if (!fresh) return made;
  made.is_time = type == google::protobuf::Timestamp::descriptor();
  // json_util lays out the fields as they are declared. What is then left to be added comes behind
  // in the order of the numbers: scalars of a oneof, and messages that print as one value.
  std::vector<const FieldDescriptor*> behind;
  std::vector<const FieldDescriptor*> order;
  for (int i = 0; i < type->field_count(); ++i) {
    const auto* one = type->field(i);
    const bool late = one->message_type() != nullptr
                          ? !one->is_repeated() && is_well_known(one->message_type())
                          : one->containing_oneof() != nullptr;
    (late ? behind : order).push_back(one);
  }
  std::sort(behind.begin(), behind.end(),
            [](const auto* a, const auto* b) { return a->number() < b->number(); });
  order.insert(order.end(), behind.begin(), behind.end());
  for (const auto* one : order) {
    made.index.emplace(one, made.ordered.size());
    made.ordered.emplace_back(one);
  }
  return made;
}

void json_writer::put_value(const source& from, const field& of, int index, defaults which,
                            std::string& out) {
  if (of.is_message)
    return append(index < 0
                      ? from.reflection.GetMessage(from.message, of.descriptor)
                      : from.reflection.GetRepeatedMessage(from.message, of.descriptor, index),
                  which, out);
  const scalar value{from.message, from.reflection, of.descriptor, index};
  if (!of.is_text) return append_scalar(value, out);
  std::string scratch;
  const auto& text = value.text(scratch);
  if (!of.is_bytes || text.empty()) return append_json_string(text, out);
  google::protobuf::BytesValue bytes;
  bytes.set_value(text);
  out += slow_json(bytes.GetDescriptor()->full_name(), bytes.SerializeAsString());
}

void json_writer::put_list(const source& from, const field& of, defaults which, std::string& out) {
  const auto size = from.reflection.FieldSize(from.message, of.descriptor);
  out += '[';
  for (int i = 0; i < size; ++i) {
    if (i != 0) out += ',';
    put_value(from, of, i, which, out);
  }
  out += ']';
}

void json_writer::put_map(const source& from, const field& of, defaults which, std::string& out) {
  const auto* key = of.descriptor->message_type()->map_key();
  out += '{';
  bool first = true;
  for (const auto* entry : sorted_entries(from.message, of.descriptor)) {
    if (!first) out += ',';
    first = false;
    append_key(*entry, key, out);
    out += ':';
    put_value({*entry, *entry->GetReflection()}, *of.value, -1, which, out);
  }
  out += '}';
}

void json_writer::put_field(const source& from, const field& of, defaults which, std::string& out) {
  if (out.back() != '{') out += ',';
  out += of.opening;
  if (of.is_map) return put_map(from, of, which, out);
  if (of.is_list) return put_list(from, of, which, out);
  put_value(from, of, -1, which, out);
}

void json_writer::append(const Message& message, defaults which, std::string& out) {
  const source from{message, *message.GetReflection()};
  const auto* type = message.GetDescriptor();
  const auto& layout = plan_of(type);
  if (layout.is_time && append_timestamp(message, out)) return;
  out += '{';
  if (which == defaults::printed && type != plans_->sparse) {
    for (const auto& one : layout.ordered)
      if (!one.may_be_absent || from.reflection.HasField(message, one.descriptor))
        put_field(from, one, which, out);
  } else {
    std::vector<const FieldDescriptor*> present;
    from.reflection.ListFields(message, &present);
    for (const auto* of : present)
      put_field(from, layout.ordered[layout.index.at(of)], defaults::left_out, out);
  }
  out += '}';
}

void append_json_string(std::string_view text, std::string& out) {
  const auto start = out.size();
  out += '"';
  std::size_t copied = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_simple(text[i])) continue;
    const auto escape = short_escape(text[i]);
    if (escape == 0) {
      // The rest of the rules is long: text with such characters is json_util's. The message of
      // bytes has the same form on the wire, but is not checked on its way there.
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

}  // namespace argosy::ctl
