// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/number_ranges.hpp"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "messages/codec/wire.hpp"

namespace argosy::codec {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr double whole_most = static_cast<double>(std::numeric_limits<std::int64_t>::max());

/// The rows by the fields' whole names, each of which is looked up once.
using row_map = std::unordered_map<const FieldDescriptor*, const number_range*>;

bool is_real(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE ||
         field.cpp_type() == FieldDescriptor::CPPTYPE_FLOAT;
}

bool is_number(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
    case FieldDescriptor::CPPTYPE_INT64:
    case FieldDescriptor::CPPTYPE_UINT32:
    case FieldDescriptor::CPPTYPE_UINT64:
    case FieldDescriptor::CPPTYPE_DOUBLE:
    case FieldDescriptor::CPPTYPE_FLOAT:
      return true;
    default:
      return false;
  }
}

const number_range* look_up(const FieldDescriptor& field) {
  if (!is_number(field)) return nullptr;
  const auto name = field.containing_type()->name() + "." + field.name();
  const auto rows = number_ranges();
  const auto found = std::ranges::lower_bound(rows, name, {}, &number_range::field);
  return found != rows.end() && found->field == name ? &*found : nullptr;
}

/// A field of which a number may be refused.
bool is_checked(const FieldDescriptor& field) {
  const auto* const row = range_of(field);
  return row != nullptr && (row->bounded() || is_real(field));
}

/// Whether a message of this type, or one in it, has such a field.
bool look_for_checked(const Descriptor& type) {
  std::unordered_set<const Descriptor*> seen{&type};
  std::vector<const Descriptor*> open{&type};
  while (!open.empty()) {
    const auto* const next = open.back();
    open.pop_back();
    for (int i = 0; i < next->field_count(); ++i) {
      if (is_checked(*next->field(i))) return true;
      const auto* const below = next->field(i)->message_type();
      if (below != nullptr && seen.insert(below).second) open.push_back(below);
    }
  }
  return false;
}

bool has_checked(const Descriptor& type) {
  thread_local std::unordered_map<const Descriptor*, bool> known;
  const auto found = known.find(&type);
  if (found != known.end()) return found->second;
  return known[&type] = look_for_checked(type);
}

/// One number of a field, as text and for comparison.
struct number {
  double value = 0;
  std::string text;
};

template <class Value>
number number_of(Value value) {
  if constexpr (std::is_floating_point_v<Value>) {
    std::ostringstream text;
    text << value;
    return {static_cast<double>(value), text.str()};
  } else {
    return {static_cast<double>(value), std::to_string(value)};
  }
}

number read_one(const Message& from, const FieldDescriptor& field, int index) {
  const auto& read = *from.GetReflection();
  const bool repeated = field.is_repeated();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return number_of(repeated ? read.GetRepeatedInt32(from, &field, index)
                                : read.GetInt32(from, &field));
    case FieldDescriptor::CPPTYPE_INT64:
      return number_of(repeated ? read.GetRepeatedInt64(from, &field, index)
                                : read.GetInt64(from, &field));
    case FieldDescriptor::CPPTYPE_UINT32:
      return number_of(repeated ? read.GetRepeatedUInt32(from, &field, index)
                                : read.GetUInt32(from, &field));
    case FieldDescriptor::CPPTYPE_UINT64:
      return number_of(repeated ? read.GetRepeatedUInt64(from, &field, index)
                                : read.GetUInt64(from, &field));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return number_of(repeated ? read.GetRepeatedFloat(from, &field, index)
                                : read.GetFloat(from, &field));
    default:
      return number_of(repeated ? read.GetRepeatedDouble(from, &field, index)
                                : read.GetDouble(from, &field));
  }
}

std::string whole(double end) {
  return std::to_string(static_cast<std::int64_t>(std::min(end, std::nextafter(whole_most, 0.0))));
}

failure refuse(const std::string& place, const std::string& why) {
  return fail(ec::invalid_argument, place + ": " + why);
}

result<void> check_one(const number& given, const number_range& range, const std::string& place) {
  if (std::isnan(given.value)) return refuse(place, "is not a number");
  if (given.value >= range.least && given.value <= range.most) return {};
  const auto hint = range.hint.empty() ? std::string{} : "; " + std::string{range.hint};
  if (range.most >= whole_most)
    return refuse(place, given.text + " is below " + whole(range.least) + hint);
  return refuse(
      place, given.text + " is outside " + whole(range.least) + " to " + whole(range.most) + hint);
}

std::string below(const std::string& place, const FieldDescriptor& field, int index) {
  auto out = place.empty() ? field.name() : place + "." + field.name();
  return index < 0 ? out : out + "[" + std::to_string(index) + "]";
}

/// Returns the key of a map's entry as places show it.
std::string key_of(const Message& entry) {
  const auto& key = *entry.GetDescriptor()->map_key();
  if (key.cpp_type() != FieldDescriptor::CPPTYPE_STRING) return {};
  return "\"" + shown(entry.GetReflection()->GetString(entry, &key)) + "\"";
}

result<void> check_field(const Message& message, const FieldDescriptor& field,
                         const std::string& place) {
  const auto& read = *message.GetReflection();
  if (!field.is_repeated() && !read.HasField(message, &field)) return {};
  const int count = field.is_repeated() ? read.FieldSize(message, &field) : 1;
  for (int i = 0; i < count; ++i) {
    const auto here = below(place, field, field.is_repeated() ? i : -1);
    if (is_number(field)) {
      if (auto ok = check_one(read_one(message, field, i), *range_of(field), here); !ok) return ok;
      continue;
    }
    const auto& part = field.is_repeated() ? read.GetRepeatedMessage(message, &field, i)
                                           : read.GetMessage(message, &field);
    const auto entry = field.is_map() ? below(place, field, -1) + "[" + key_of(part) + "]" : here;
    if (auto ok = check_numbers(part, entry); !ok) return ok;
  }
  return {};
}

}  // namespace

const number_range* range_of(const FieldDescriptor& field) {
  thread_local row_map known;
  const auto found = known.find(&field);
  return found != known.end() ? found->second : (known[&field] = look_up(field));
}

result<void> check_numbers(const Message& message, const std::string& place) {
  const auto& type = *message.GetDescriptor();
  if (!has_checked(type)) return {};
  for (int i = 0; i < type.field_count(); ++i) {
    const auto& field = *type.field(i);
    const auto* const part = field.message_type();
    if (part != nullptr ? !has_checked(*part) : !is_checked(field)) continue;
    if (auto ok = check_field(message, field, place); !ok) return ok;
  }
  return {};
}

}  // namespace argosy::codec
