// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/output/json_writer.hpp"

#include <google/protobuf/timestamp.pb.h>
#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bins/argosyctl/output/json_value.hpp"
#include "messages/codec/rest/go_json.hpp"

namespace argosy::ctl {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

bool is_well_known(const Descriptor* type) {
  return type->file()->package() == "google.protobuf" &&
         type->full_name() != "google.protobuf.Empty";
}

/// The names of fields that hold a moment in Unix nanoseconds; other fields that end in "_ns" are
/// durations.
constexpr std::array<std::string_view, 9> moment_names{
    "submitted_ns", "changed_ns",    "leased_ns",        "started_ns",      "finished_ns",
    "round_ns",     "last_heard_ns", "cluster_heard_ns", "trouble_since_ns"};

bool is_moment(const FieldDescriptor* of) {
  return of->type() == FieldDescriptor::TYPE_INT64 && !of->is_repeated() &&
         std::find(moment_names.begin(), moment_names.end(), of->name()) != moment_names.end();
}

/// The field of the same message that says whether this one has a value; null if there is none.
const FieldDescriptor* marker_of(const FieldDescriptor* of) {
  const auto* found = of->containing_type()->FindFieldByName("has_" + of->name());
  return found != nullptr && found->type() == FieldDescriptor::TYPE_BOOL ? found : nullptr;
}

bool is_marker(const FieldDescriptor* of) {
  return of->type() == FieldDescriptor::TYPE_BOOL && of->name().starts_with("has_") &&
         of->containing_type()->FindFieldByName(of->name().substr(4)) != nullptr;
}

void append_moment(std::int64_t unix_ns, std::string& out) {
  const auto time = google::protobuf::util::TimeUtil::NanosecondsToTimestamp(unix_ns);
  if (!append_json_time(time, out)) out += "null";
}

/// The entries of a map in the order of their keys.
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
  out += text.starts_with('"') ? text : '"' + text + '"';
}

}  // namespace

/// What is needed of a field. It is kept since the field's descriptor is slow to ask.
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
  std::string opening;  ///< The name in quotes, and the colon.
  bool is_map;
  bool is_list;
  bool is_message;
  bool is_text;  ///< The field has text or bytes.
  bool is_bytes;
  bool may_be_absent;      ///< The field may be absent even if default values are printed.
  bool is_moment = false;  ///< The field is printed as a time.
  /// This field says whether there is a value, and is not printed itself: `has_exit_code` of
  /// `exit_code`.
  const FieldDescriptor* marker = nullptr;
  bool is_marker = false;
  std::unique_ptr<field> value;  ///< How the values of a map are printed.
};

struct json_writer::plan {
  bool is_time = false;
  const FieldDescriptor* text = nullptr;  ///< The message is printed as this text alone.
  /// The fields in the order in which they are printed with their defaults.
  std::vector<field> ordered;
  std::unordered_map<const FieldDescriptor*, std::size_t> index;
};

struct json_writer::plans {
  const Descriptor* sparse = nullptr;
  form how = form::proto3;
  std::unordered_map<const Descriptor*, plan> by_type;
};

json_writer::json_writer(const Descriptor* sparse, form how) : plans_(std::make_unique<plans>()) {
  plans_->sparse = sparse;
  plans_->how = how;
}

json_writer::~json_writer() = default;

const json_writer::plan& json_writer::plan_of(const Descriptor* type) {
  const auto [at, fresh] = plans_->by_type.try_emplace(type);
  auto& made = at->second;
  if (!fresh) return made;
  made.is_time = type == google::protobuf::Timestamp::descriptor();
  if (plans_->how == form::readable &&
      type->full_name() == "k8s.io.apimachinery.pkg.api.resource.Quantity")
    made.text = type->FindFieldByName("string");
  // json_util lays out the fields as they are declared. The fields that it adds later come behind
  // these in the order of their numbers: scalars of a oneof, and messages that print as one value.
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
    auto& added = made.ordered.emplace_back(one);
    if (plans_->how == form::proto3) continue;
    // A description of a job stands beside ours, whose key is "jobSet" as that of all our forms.
    if (one->full_name() == "api.JobDetails.jobset") added.opening = "\"jobSet\":";
    added.marker = marker_of(one);
    added.is_marker = is_marker(one);
    if (!is_moment(one)) continue;
    added.is_moment = added.may_be_absent = true;
    // "finishedNs" becomes "finishedTs", as in the API's own messages.
    added.opening.replace(added.opening.size() - 4, 2, "Ts");
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
  append_json_bytes(text, out);
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
  if (of.is_moment)
    return append_moment(from.reflection.GetInt64(from.message, of.descriptor), out);
  put_value(from, of, -1, which, out);
}

bool json_writer::is_there(const source& from, const field& of) {
  if (of.is_marker) return false;
  if (of.marker != nullptr) return from.reflection.GetBool(from.message, of.marker);
  return !of.may_be_absent || from.reflection.HasField(from.message, of.descriptor);
}

void json_writer::append(const Message& message, defaults which, std::string& out) {
  const source from{message, *message.GetReflection()};
  const auto* type = message.GetDescriptor();
  const auto& layout = plan_of(type);
  if (layout.is_time && append_json_time(message, out)) return;
  if (layout.text != nullptr) {
    std::string scratch;
    append_json_string(scalar{message, from.reflection, layout.text, -1}.text(scratch), out);
    return;
  }
  if (type == plans_->sparse && plans_->how == form::readable) {
    out += codec::go_json_text(message);
    return;
  }
  out += '{';
  if (which == defaults::printed && type != plans_->sparse) {
    for (const auto& one : layout.ordered)
      if (is_there(from, one)) put_field(from, one, which, out);
  } else {
    std::vector<const FieldDescriptor*> present;
    from.reflection.ListFields(message, &present);
    for (const auto* of : present)
      put_field(from, layout.ordered[layout.index.at(of)], defaults::left_out, out);
  }
  out += '}';
}

}  // namespace argosy::ctl
