// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>
#include <utility>
#include <vector>

#include "messages/codec/rest/go_json.hpp"

namespace argosy::codec {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

/// Writes messages straight into a text. What has a form of its own is written by way of the tree
/// of values that to_go_json() makes: it is rare in what callers ask for often.
class text_writer {
 public:
  void write(const Message& from);
  std::string take() { return std::move(out_); }

 private:
  struct known_field {
    const FieldDescriptor* field;
    std::string key;  ///< "\"name\":"
  };
  struct known_type {
    bool by_tree = false;
    std::vector<known_field> fields{};
  };

  static bool is_plain(const FieldDescriptor& field);
  static known_type look_at(const Descriptor& type);
  static const known_type& known(const Descriptor& type);

  void write_field(const Message& from, const known_field& of, bool& first);
  void write_map(const Message& from, const FieldDescriptor& field, int size);
  bool write_value(const Message& from, const FieldDescriptor& field, int at);
  bool write_text(const std::string& text);
  template <class Number>
  bool write_number(Number value);
  bool write_real(double value);
  void write_tree(const go_json& value) {
    out_ += value.dump(-1, ' ', false, go_json::error_handler_t::replace);
  }

  std::string out_;
};

/// Whether the field is a text, a number, a truth, a message, or a map of texts to these, and zero
/// is left out.
bool text_writer::is_plain(const FieldDescriptor& field) {
  if (field.is_map())
    return field.message_type()->map_key()->cpp_type() == FieldDescriptor::CPPTYPE_STRING &&
           is_plain(*field.message_type()->map_value());
  if (field.type() == FieldDescriptor::TYPE_BYTES) return false;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return !is_inlined(field);
    case FieldDescriptor::CPPTYPE_STRING:
    case FieldDescriptor::CPPTYPE_INT32:
    case FieldDescriptor::CPPTYPE_INT64:
    case FieldDescriptor::CPPTYPE_UINT32:
    case FieldDescriptor::CPPTYPE_UINT64:
    case FieldDescriptor::CPPTYPE_DOUBLE:
    case FieldDescriptor::CPPTYPE_BOOL:
      return field.is_repeated() || !field.has_presence();
    default:
      return field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM && !field.has_presence() &&
             field.enum_type()->full_name() != "api.RetryAction";
  }
}

text_writer::known_type text_writer::look_at(const Descriptor& type) {
  known_type out;
  out.by_tree = type.file()->package().rfind("k8s.", 0) == 0 ||
                type.full_name() == "api.EventMessage" || type.real_oneof_decl_count() > 0;
  for (int i = 0; i < type.field_count(); ++i) {
    const auto& field = *type.field(i);
    out.by_tree = out.by_tree || !is_plain(field);
    out.fields.push_back({&field, "\"" + field.json_name() + "\":"});
  }
  return out;
}

const text_writer::known_type& text_writer::known(const Descriptor& type) {
  thread_local std::unordered_map<const Descriptor*, known_type> types;
  const auto [at, is_new] = types.try_emplace(&type);
  if (is_new) at->second = look_at(type);
  return at->second;
}

void text_writer::write(const Message& from) {
  const auto& type = known(*from.GetDescriptor());
  if (type.by_tree) return write_tree(to_go_json(from));
  out_ += '{';
  bool first = true;
  for (const auto& each : type.fields) write_field(from, each, first);
  out_ += '}';
}

void text_writer::write_field(const Message& from, const known_field& of, bool& first) {
  const auto& field = *of.field;
  const auto& reflection = *from.GetReflection();
  const auto before = out_.size();
  const auto begin = [&] {
    if (!first) out_ += ',';
    out_ += of.key;
  };
  if (field.is_repeated()) {
    const int size = reflection.FieldSize(from, &field);
    if (size == 0) return;
    begin();
    if (field.is_map()) {
      write_map(from, field, size);
      first = false;
      return;
    }
    for (int i = 0; i < size; ++i) {
      out_ += i == 0 ? '[' : ',';
      write_value(from, field, i);
    }
    out_ += ']';
  } else {
    const bool message = field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (message && !reflection.HasField(from, &field)) return;
    begin();
    // A field that is zero is left out, with the key that was written for it.
    if (!write_value(from, field, -1)) return out_.resize(before);
  }
  first = false;
}

/// Writes a map in the order of its keys.
void text_writer::write_map(const Message& from, const FieldDescriptor& field, int size) {
  const auto& key = *field.message_type()->map_key();
  const auto& reflection = *from.GetReflection();
  std::vector<std::pair<std::string, const Message*>> sorted;
  for (int i = 0; i < size; ++i) {
    const auto& entry = reflection.GetRepeatedMessage(from, &field, i);
    sorted.emplace_back(entry.GetReflection()->GetString(entry, &key), &entry);
  }
  std::sort(sorted.begin(), sorted.end());
  char before = '{';
  for (const auto& [name, entry] : sorted) {
    out_ += std::exchange(before, ',');
    write_text(name);
    out_ += ':';
    write_value(*entry, *field.message_type()->map_value(), -1);
  }
  out_ += '}';
}

/// Writes the value of a field, or of its element `at`. Returns whether it is more than zero.
bool text_writer::write_value(const Message& from, const FieldDescriptor& field, int at) {
  const auto& r = *from.GetReflection();
  const bool one = at < 0;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return write_number(one ? r.GetInt32(from, &field) : r.GetRepeatedInt32(from, &field, at));
    case FieldDescriptor::CPPTYPE_INT64:
      return write_number(one ? r.GetInt64(from, &field) : r.GetRepeatedInt64(from, &field, at));
    case FieldDescriptor::CPPTYPE_UINT32:
      return write_number(one ? r.GetUInt32(from, &field) : r.GetRepeatedUInt32(from, &field, at));
    case FieldDescriptor::CPPTYPE_UINT64:
      return write_number(one ? r.GetUInt64(from, &field) : r.GetRepeatedUInt64(from, &field, at));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return write_real(one ? r.GetDouble(from, &field) : r.GetRepeatedDouble(from, &field, at));
    case FieldDescriptor::CPPTYPE_ENUM:
      return write_number(one ? r.GetEnumValue(from, &field)
                              : r.GetRepeatedEnumValue(from, &field, at));
    case FieldDescriptor::CPPTYPE_BOOL: {
      const bool value = one ? r.GetBool(from, &field) : r.GetRepeatedBool(from, &field, at);
      out_ += value ? "true" : "false";
      return value;
    }
    case FieldDescriptor::CPPTYPE_STRING: {
      std::string scratch;
      return write_text(one ? r.GetStringReference(from, &field, &scratch)
                            : r.GetRepeatedStringReference(from, &field, at, &scratch));
    }
    default:
      write(one ? r.GetMessage(from, &field) : r.GetRepeatedMessage(from, &field, at));
      return true;
  }
}

bool text_writer::write_text(const std::string& text) {
  const auto needs_tree = [](char c) { return c < ' ' || c >= '\x7f'; };
  if (std::any_of(text.begin(), text.end(), needs_tree)) {
    write_tree(text);
    return true;
  }
  out_ += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out_ += '\\';
    out_ += c;
  }
  out_ += '"';
  return !text.empty();
}

template <class Number>
bool text_writer::write_number(Number value) {
  char digits[24];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
  out_.append(std::begin(digits), end);
  return value != 0;
}

/// A whole number is written without a point, as Go writes it.
bool text_writer::write_real(double value) {
  constexpr double whole_max = 1e15;
  if (std::floor(value) == value && std::fabs(value) < whole_max)
    return write_number(static_cast<std::int64_t>(value));
  write_tree(value);
  return true;
}

}  // namespace

std::string go_json_text(const Message& from) {
  text_writer writer;
  writer.write(from);
  return writer.take();
}

}  // namespace argosy::codec
