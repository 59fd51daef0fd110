// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/api/queue_codec.hpp"
#include "messages/proto/api/submit.pb.h"
#include "messages/submit_file/job_file.hpp"
#include "messages/submit_file/kind_file.hpp"
#include "runtime/settings/yaml/parse.hpp"

namespace argosy::submit_file {

using yaml::fail_at;

result<model::queue_settings> read_queue(const yaml::node& root, mistake_list* mistakes) {
  api::Queue queue;
  if (auto read = read_kind(root, "Queue", {}, queue, mistakes); !read) return fail(read.error());
  if (!root.find("priorityFactor")) queue.set_priority_factor(1);
  auto settings = codec::from_wire(queue);
  if (!settings) return fail_at(root, settings.error().detail);
  return settings;
}

result<std::vector<model::queue_settings>> read_queues(std::string_view text,
                                                       std::string file_name) {
  auto documents = yaml::parse_all(text, std::move(file_name));
  if (!documents) return fail(std::move(documents.error()));
  std::vector<model::queue_settings> queues;
  for (const auto& document : *documents) {
    if (document.root().is_null()) continue;
    auto queue = read_queue(document.root());
    if (!queue) return fail(std::move(queue.error()));
    queues.push_back(std::move(*queue));
  }
  return queues;
}

}  // namespace argosy::submit_file
