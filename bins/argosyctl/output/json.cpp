// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/output/json.hpp"

#include "bins/argosyctl/output/json_value.hpp"
#include "bins/argosyctl/output/json_writer.hpp"
#include "messages/proto/api/submit.pb.h"

namespace argosy::ctl {

namespace {

/// Joins two objects into one; their names must differ.
std::string joined(std::string first, std::string_view second) {
  first.pop_back();
  if (second != "{}" && first != "{") first += ',';
  return first += second.substr(1);
}

}  // namespace

void append_json(const google::protobuf::Message& message, std::string& out) {
  thread_local json_writer writer{k8s::io::api::core::v1::PodSpec::descriptor(),
                                  json_writer::form::readable};
  writer.append(message, json_writer::defaults::printed, out);
}

std::string json_of(const google::protobuf::Message& message) {
  std::string out;
  append_json(message, out);
  return out;
}

std::string json_of(const argosy::v1::QueueSummary& queue) {
  auto counters = queue;
  counters.clear_queue();
  const google::protobuf::Message& rest = counters;
  return joined(json_of(queue.queue()), json_of(rest));
}

std::string json_of(const argosy::v1::DescribeJobResponse& job) {
  auto rest = job;
  rest.clear_details();
  const google::protobuf::Message& others = rest;
  return joined(json_of(job.details()), json_of(others));
}

std::string json_of(const api::JobDetails& job, const argosy::v1::JobSummary& summary) {
  const google::protobuf::Message& details = job;
  auto out = json_of(details);
  out.pop_back();
  out += ",\"summary\":";
  append_json(summary, out);
  return out += '}';
}

std::string json_items(const std::vector<std::string>& items) {
  std::string out = "{\"items\":[";
  for (std::size_t i = 0; i < items.size(); ++i) out += (i == 0 ? "" : ",\n") + items[i];
  return out + "]}\n";
}

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(text, out);
  return out;
}

}  // namespace argosy::ctl
