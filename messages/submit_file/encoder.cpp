// SPDX-License-Identifier: Apache-2.0
#include "messages/submit_file/encoder.hpp"

#include "messages/submit_file/scalar.hpp"
#include "messages/submit_file/wire_writer.hpp"
#include "runtime/base/suggest.hpp"

namespace argosy::submit_file {

namespace {

using google::protobuf::FieldDescriptor;
using yaml::fail_at;
using yaml::node;

}  // namespace

/// A buffer for one inner message.
class scratch {
 public:
  explicit scratch(encoder& owner) : owner_(owner) {
    if (owner_.depth_ == owner_.buffers_.size()) owner_.buffers_.emplace_back();
    buffer_ = &owner_.buffers_[owner_.depth_++];
    buffer_->clear();
  }
  ~scratch() { --owner_.depth_; }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;

  std::string& operator*() const noexcept { return *buffer_; }

 private:
  encoder& owner_;
  std::string* buffer_;
};

result<void> encoder::encode(const node& value, const message_plan& plan, std::string& out) {
  if (!value.is_mapping()) return fail_at(value, "expected fields, one `name: value` a line");
  for (const auto& [key, inner] : value.entries())
    if (auto ok = encode_entry(key, inner, plan, out); !goes_on(ok)) return ok;
  return {};
}

result<void> encoder::encode_entry(const node& key, const node& value, const message_plan& plan,
                                   std::string& out) {
  const auto* field = plan.find(key.text());
  if (field == nullptr)
    return fail_at(key, "unknown field '" + std::string{key.text().substr(0, 60)} + "'" +
                            did_you_mean(key.text(), plan.keys()));
  if (value.is_null()) return {};
  if (field->inlined_in == nullptr) return encode_field(value, *field, out);
  // Each key gets a field of its own; whoever decodes them merges them.
  const scratch inner{*this};
  if (auto ok = encode_field(value, *field, *inner); !ok) return ok;
  put_bytes(field->inlined_in->number(), *inner, out);
  return {};
}

result<void> encoder::encode_field(const node& value, const field_plan& plan, std::string& out) {
  const auto* field = plan.field;
  if (field->is_map()) return encode_map(value, plan, out);
  if (!field->is_repeated()) return encode_one(value, plan, field, {}, out);
  if (!value.is_sequence())
    return fail_at(value, "'" + field->json_name() + "' is a list; write its items as `- item`");
  for (const auto item : value.items()) {
    auto ok = item.is_null()
                  ? result<void>{fail_at(item, "an item of '" + field->json_name() + "' is empty")}
                  : encode_one(item, plan, field, {}, out);
    if (!goes_on(ok)) return ok;
  }
  return {};
}

result<void> encoder::encode_map(const node& value, const field_plan& plan, std::string& out) {
  const auto* field = plan.field;
  if (!value.is_mapping())
    return fail_at(value, "'" + field->json_name() + "' takes pairs, `name: value`");
  for (const auto& [key, inner] : value.entries())
    if (auto ok = encode_pair(key, inner, plan, out); !goes_on(ok)) return ok;
  return {};
}

result<void> encoder::encode_pair(const node& key, const node& value, const field_plan& plan,
                                  std::string& out) {
  if (value.is_null())
    return fail_at(value, "'" + std::string{key.text().substr(0, 60)} + "' has no value");
  const auto* type = plan.field->message_type();
  const scratch entry{*this};
  if (auto ok = put_scalar(key, type->map_key(), *entry); !ok) return ok;
  if (auto ok = encode_one(value, plan, type->map_value(), key.text(), *entry); !ok) return ok;
  put_bytes(plan.field->number(), *entry, out);
  return {};
}

bool encoder::goes_on(const result<void>& outcome) {
  if (outcome || mistakes_ == nullptr) return outcome.has_value();
  mistakes_->add(outcome.error());
  return !mistakes_->full();
}

result<void> encoder::encode_one(const node& value, const field_plan& plan,
                                 const FieldDescriptor* field, std::string_view map_key,
                                 std::string& out) {
  if (plan.message == nullptr) return put_scalar(value, field, out);
  const scratch inner{*this};
  if (auto ok = encode_message(value, *plan.message, map_key, *inner); !ok) return ok;
  put_bytes(field->number(), *inner, out);
  return {};
}

result<void> encoder::encode_message(const node& value, const message_plan& plan,
                                     std::string_view map_key, std::string& out) {
  switch (plan.form()) {
    case scalar_form::none:
      return encode(value, plan, out);
    case scalar_form::quantity:
      return put_quantity(value, map_key, out);
    case scalar_form::int_or_string:
      return put_int_or_string(value, out);
    case scalar_form::time:
      return put_time(value, out);
  }
  return {};
}

}  // namespace argosy::submit_file
