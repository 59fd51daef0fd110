// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/api/queue_codec.hpp"
#include "messages/proto/api/submit.pb.h"
#include "messages/submit_file/encoder.hpp"
#include "messages/submit_file/job_file.hpp"
#include "runtime/settings/yaml/parse.hpp"

namespace argosy::submit_file {

namespace {

using yaml::fail_at;
using yaml::node;

result<model::queue_settings> read_queue(const node& root) {
  if (!root.is_mapping()) return fail_at(root, "expected a queue with kind: Queue and name");
  const auto kind = root.find("kind");
  if (!kind) return fail_at(root, "no kind; add `kind: Queue`");
  if (kind->text() != "Queue")
    return fail_at(*kind, "kind '" + std::string{kind->text().substr(0, 60)} +
                              "' is not Queue, which this command reads");
  const auto& plan = message_plan::of(api::Queue::descriptor());
  encoder encoder;
  std::string bytes;
  for (const auto& [key, value] : root.entries()) {
    // The first two say what the file is; the last is a setting that Armada gave up.
    if (key.text() == "apiVersion" || key.text() == "kind" || key.text() == "resourceLimits")
      continue;
    if (auto ok = encoder.encode_entry(key, value, plan, bytes); !ok)
      return fail(std::move(ok.error()));
  }
  api::Queue queue;
  if (!queue.ParseFromString(bytes)) return fail_at(root, "the queue holds invalid text");
  if (!root.find("priorityFactor")) queue.set_priority_factor(1);
  auto settings = codec::from_wire(queue);
  if (!settings) return fail_at(root, settings.error().detail);
  return settings;
}

}  // namespace

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
