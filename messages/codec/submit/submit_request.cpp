// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/submit/submit_request.hpp"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <limits>

#include "messages/codec/api/environment_mask.hpp"
#include "messages/codec/api/request_weight.hpp"
#include "messages/codec/wire.hpp"
#include "messages/proto/api/submit.pb.h"
#include "runtime/base/utf8.hpp"

namespace argosy::codec {

namespace {

using google::protobuf::internal::WireFormatLite;

// The fields of api.JobSubmitRequest.
constexpr int queue_field = 1;
constexpr int job_set_field = 2;
constexpr int items_field = 3;

failure undecodable(const std::string& place) {
  return fail(ec::invalid_argument, place + ": not a submission, the bytes cannot be decoded");
}

std::size_t metadata_size(const partial::v1::SubmitItem& item) {
  std::size_t size = 0;
  for (const auto& [key, value] : item.labels()) size += key.size() + value.size();
  for (const auto& [key, value] : item.annotations()) size += key.size() + value.size();
  return size;
}

}  // namespace

const std::string& pod_slot::priority_class(const submit_limits& limits) const {
  if (checked) return checked->shape->priority_class;
  return decoded->priorityclassname().empty() ? limits.priority_class
                                              : decoded->priorityclassname();
}

result<void> submit_request::read(std::string_view bytes, const submit_limits& limits,
                                  const pod_cache& known) {
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    return fail(ec::too_large, "the request is larger than 2 GiB");
  if (auto light = check_weight(bytes, api::JobSubmitRequest::default_instance()); !light)
    return light;
  google::protobuf::io::CodedInputStream input{reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                               static_cast<int>(bytes.size())};
  while (const auto tag = input.ReadTag()) {
    const auto field = WireFormatLite::GetTagFieldNumber(tag);
    const bool is_known = field == queue_field || field == job_set_field || field == items_field;
    if (!is_known ||
        WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      if (!WireFormatLite::SkipField(&input, tag)) return undecodable("request");
      continue;
    }
    std::uint32_t size = 0;
    if (!input.ReadVarint32(&size)) return undecodable("request");
    const auto at = static_cast<std::size_t>(input.CurrentPosition());
    if (size > bytes.size() - at || !input.Skip(static_cast<int>(size)))
      return undecodable("request");
    const auto content = bytes.substr(at, size);
    if (field == items_field) {
      if (auto ok = add_item(content, limits, known); !ok) return ok;
      continue;
    }
    if (!is_utf8(content)) return undecodable(field == queue_field ? "queue" : "job_set_id");
    (field == queue_field ? queue : job_set).assign(content);
  }
  if (!input.ConsumedEntireMessage()) return undecodable("request");
  return {};
}

result<void> submit_request::add_item(std::string_view bytes, const submit_limits& limits,
                                      const pod_cache& known) {
  if (items.size() >= limits.rules.jobs_per_request_max)
    return fail(ec::too_large, "the request has more than " +
                                   std::to_string(limits.rules.jobs_per_request_max) +
                                   " jobs; send them in several requests");
  const auto place = [&] { return item_place(items.size()); };
  auto* message = google::protobuf::Arena::CreateMessage<partial::v1::SubmitItem>(&arena_);
  if (!decode(bytes, *message, "job")) return undecodable(place());

  // These limits keep what a hostile request costs in proportion to its size.
  const auto attachments = static_cast<std::size_t>(message->ingress_size()) +
                           static_cast<std::size_t>(message->services_size());
  if (attachments > limits.attachments_max)
    return fail(ec::invalid_argument, place() + ": has " + std::to_string(attachments) +
                                          " ingress and service entries; at most " +
                                          std::to_string(limits.attachments_max) + " are allowed");
  if (metadata_size(*message) > limits.rules.metadata_bytes_max.bytes)
    return fail(ec::invalid_argument, place() + ": labels and annotations have more than " +
                                          std::to_string(limits.rules.metadata_bytes_max.bytes) +
                                          " bytes");
  const auto* hidden = has_hidden(message->annotations()) ? ".annotations" : nullptr;
  for (const auto& each : message->ingress())
    if (has_hidden(each.annotations())) hidden = ".ingress.annotations";
  if (hidden != nullptr)
    return fail(ec::invalid_argument,
                place() + hidden + ": the value of one is '" + std::string{hidden_value} +
                    "', which stands for what is hidden from you; give the value or leave it out");
  if (!message->required_node_labels().empty())
    return fail(ec::invalid_argument,
                place() +
                    ".required_node_labels: is not supported; put the labels into "
                    "nodeSelector of the pod spec");

  submit_item item;
  item.message = message;
  item.pods = (message->pod_spec().empty() ? 0 : 1) + message->pod_specs_size();
  item.pod_in_list = message->pod_spec().empty();
  if (item.pods == 1)
    if (auto ok = add_pod(item, limits, known); !ok) return ok;
  items.push_back(std::move(item));
  return {};
}

result<void> submit_request::add_pod(submit_item& item, const submit_limits& limits,
                                     const pod_cache& known) {
  auto& message = *item.message;
  auto* parts = item.pod_in_list ? message.mutable_pod_specs() : message.mutable_pod_spec();
  for (int i = 1; i < parts->size(); ++i) parts->Mutable(0)->append(parts->Get(i));
  const std::string_view bytes = parts->Get(0);
  const auto [at, is_new] = by_bytes_.try_emplace(bytes, nullptr);
  if (!is_new) {
    item.pod = at->second;
    return {};
  }
  auto& slot = slots_.emplace_back();
  slot.bytes = bytes;
  slot.checked = known.find(bytes);
  // A pod spec over the size limit is not decoded; it is refused later, in the order of the checks.
  if (!slot.checked) {
    slot.decoded = google::protobuf::Arena::CreateMessage<k8s::io::api::core::v1::PodSpec>(&arena_);
    if (bytes.size() <= limits.rules.pod_spec_bytes_max &&
        !decode(bytes, *slot.decoded, "pod spec"))
      return undecodable(pod_place(items.size(), item));
  }
  item.pod = at->second = &slot;
  return {};
}

std::string item_place(std::size_t index) {
  return "job_request_items[" + std::to_string(index) + "]";
}

std::string pod_place(std::size_t index, const submit_item& item) {
  return item_place(index) + (item.pod_in_list ? ".pod_specs[0]" : ".pod_spec");
}

}  // namespace argosy::codec
