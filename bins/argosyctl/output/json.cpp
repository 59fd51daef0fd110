// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/output/json.hpp"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>
#include <google/protobuf/wrappers.pb.h>

#include <memory>

#include "runtime/base/check.hpp"

namespace argosy::ctl {

namespace {

/// The bytes with the keys of maps sorted.
std::string sorted_bytes(const google::protobuf::Message& message) {
  std::string out;
  google::protobuf::io::StringOutputStream stream{&out};
  google::protobuf::io::CodedOutputStream coded{&stream};
  coded.SetSerializationDeterministic(true);
  ARGOSY_CHECK(message.SerializeToCodedStream(&coded));
  return out;
}

/// The same message always gives the same text: MessageToJsonString would print maps in an order
/// that differs from one process to the next.
std::string to_json(const google::protobuf::Message& message, bool with_defaults) {
  namespace util = google::protobuf::util;
  static const std::unique_ptr<util::TypeResolver> types{util::NewTypeResolverForDescriptorPool(
      "type.googleapis.com", google::protobuf::DescriptorPool::generated_pool())};
  util::JsonPrintOptions options;
  options.always_print_primitive_fields = with_defaults;
  std::string type{"type.googleapis.com/"};
  type += message.GetDescriptor()->full_name();
  std::string out;
  const auto status =
      util::BinaryToJsonString(types.get(), type, sorted_bytes(message), &out, options);
  ARGOSY_CHECK(status.ok());
  return out;
}

/// Prints `whole`, of which `job` is a part under the key `key`: its pod specs without defaults.
/// A key with its quotes cannot stand within a string, where quotes are escaped.
std::string with_pod_specs(const google::protobuf::Message& whole, api::Job& job,
                           std::string_view key) {
  std::string specs;
  if (job.has_pod_spec()) specs = "\"podSpec\":" + to_json(job.pod_spec(), false) + ",";
  specs += "\"podSpecs\":[";
  for (int i = 0; i < job.pod_specs_size(); ++i)
    specs += (i == 0 ? "" : ",") + to_json(job.pod_specs(i), false);
  specs += "],";
  job.clear_pod_spec();
  job.clear_pod_specs();
  auto out = to_json(whole, true);
  constexpr std::string_view no_specs = "\"podSpecs\":[],";
  const auto opening = "\"" + std::string{key} + "\":{";
  const auto start = out.find(opening);
  ARGOSY_CHECK(start != std::string::npos);
  const auto empty_list = out.find(no_specs, start);
  ARGOSY_CHECK(empty_list != std::string::npos);
  return out.replace(empty_list, no_specs.size(), specs);
}

/// Two objects as one; the names must differ.
std::string joined(std::string first, std::string_view second) {
  first.pop_back();
  if (second != "{}" && first != "{") first += ',';
  return first += second.substr(1);
}

}  // namespace

std::string json_of(const google::protobuf::Message& message) {
  return to_json(message, true);
}

std::string json_of(const api::JobDetails& job) {
  if (!job.has_job_spec()) return to_json(job, true);
  auto copy = job;
  return with_pod_specs(copy, *copy.mutable_job_spec(), "jobSpec");
}

std::string json_of(const api::EventStreamMessage& event) {
  if (!event.message().submitted().has_job()) return to_json(event, true);
  auto copy = event;
  return with_pod_specs(copy, *copy.mutable_message()->mutable_submitted()->mutable_job(), "job");
}

std::string json_of(const argosy::v1::QueueSummary& queue) {
  auto counters = queue;
  counters.clear_queue();
  return joined(to_json(queue.queue(), true), to_json(counters, true));
}

std::string json_of(const argosy::v1::DescribeJobResponse& job) {
  auto rest = job;
  rest.clear_details();
  return joined(json_of(job.details()), to_json(rest, true));
}

std::string json_items(const std::vector<std::string>& items) {
  std::string out = "{\"items\":[";
  for (std::size_t i = 0; i < items.size(); ++i) out += (i == 0 ? "" : ",\n") + items[i];
  return out + "]}\n";
}

std::string json_string(std::string_view text) {
  google::protobuf::StringValue value;
  value.set_value(std::string{text});
  return to_json(value, true);
}

}  // namespace argosy::ctl
