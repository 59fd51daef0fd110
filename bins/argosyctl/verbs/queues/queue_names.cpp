// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/queues/queue_names.hpp"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/client/pages.hpp"
#include "bins/argosyctl/output/exit_code.hpp"
#include "messages/proto/api/submit.pb.h"
#include "messages/proto/argosy/v1.pb.h"
#include "runtime/base/suggest.hpp"

namespace argosy::ctl {

error unknown_queue(client& server, const std::string& name, bool may_create) {
  std::vector<std::string> known;
  auto answer = call_pages<argosy::v1::ListQueuesResponse>(server, "Query.ListQueues",
                                                           argosy::v1::ListQueuesRequest{});
  if (answer)
    for (const auto& queue : answer->queues()) known.push_back(queue.queue().name());
  const auto hint = did_you_mean(name, known);
  auto text = fmt::format("there is no queue '{}'{}", name, hint);
  if (may_create)
    text +=
        fmt::format("{} Create it with: argosyctl queue create {}", hint.empty() ? "." : "", name);
  return {ec::not_found, std::move(text)};
}

result<void> check_queue(client& server, const std::string& name, bool may_create) {
  if (name.empty()) return {};
  api::QueueGetRequest request;
  request.set_name(name);
  auto queue = call<api::Queue>(server, "QueueService.GetQueue", request);
  if (queue) return {};
  if (exit_code_of(queue.error()) == exit_code::not_found)
    return fail(unknown_queue(server, name, may_create));
  return fail(std::move(queue.error()));
}

result<std::string> queue_of_job_set(client& server, const std::string& job_set) {
  const auto found = list_job_sets(server, {});
  if (!found) return fail(found.error());
  std::set<std::string> queues;
  std::vector<std::string> names;
  for (const auto& set : *found) {
    names.push_back(set.job_set());
    if (set.job_set() == job_set) queues.insert(set.queue());
  }
  if (queues.size() == 1) return *queues.begin();
  if (queues.empty())
    return fail(ec::not_found, fmt::format("no queue has a job set '{}'{}", job_set,
                                           did_you_mean(job_set, names)));
  std::string list;
  for (const auto& queue : queues) list += (list.empty() ? "" : ", ") + queue;
  return fail(
      ec::invalid_argument,
      fmt::format("several queues have a job set '{}': {}; name one with --queue", job_set, list));
}

}  // namespace argosy::ctl
