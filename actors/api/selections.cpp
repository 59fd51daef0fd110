// SPDX-License-Identifier: Apache-2.0
#include "actors/api/selections.hpp"

#include <absl/container/flat_hash_set.h>
#include <google/protobuf/empty.pb.h>

#include <algorithm>
#include <utility>

#include "runtime/base/suggest.hpp"
#include "runtime/base/text.hpp"

namespace argosy::actors {

result<void> check_classes(const gateway_services& gateway, const id_list& classes) {
  const auto& known = gateway.config.limits.priority_classes;
  for (const auto& name : classes)
    if (std::ranges::find(known, name) == known.end())
      return fail(ec::not_found,
                  "there is no priority class '" + shown(name) + "'" + did_you_mean(name, known));
  return {};
}

bool refuse_count(const gateway_services& gateway, const call& caller, int items) {
  const auto items_max = gateway.config.request_limits.query_items_max;
  if (std::cmp_less_equal(items, items_max)) return false;
  caller.fail(ec::invalid_argument, "a request names at most " + std::to_string(items_max) +
                                        " ids, this one " + std::to_string(items));
  return true;
}

std::optional<std::vector<ulid>> read_ids(const call& caller, const id_list& ids,
                                          const std::string& single) {
  std::vector<ulid> out;
  absl::flat_hash_set<ulid> known;
  const auto add = [&](const std::string& text) {
    const auto id = parse_ulid(text);
    if (!id) {
      caller.fail(
          {ec::invalid_argument, "job id '" + text.substr(0, 40) + "': " + id.error().detail});
      return false;
    }
    if (known.insert(*id).second) out.push_back(*id);
    return true;
  };
  for (const auto& text : ids)
    if (!add(text)) return {};
  if (!single.empty() && !add(single)) return {};
  return out;
}

bool refuse_unnamed(const call& caller, const std::string& name, const char* what) {
  if (!name.empty()) return false;
  caller.fail(ec::invalid_argument, std::string{"the request names no "} + what);
  return true;
}

bool refuse_empty_set(const call& caller, const std::string& queue, const std::string& job_set) {
  if (!queue.empty() && !job_set.empty()) return false;
  caller.fail(ec::invalid_argument,
              queue.empty() ? "queue must not be empty" : "job_set_id must not be empty");
  return true;
}

bool refuse_reason(const gateway_services& gateway, const call& caller, const std::string& reason) {
  const auto reason_size_max = gateway.config.request_limits.reason_bytes_max;
  if (reason.size() <= reason_size_max) return false;
  caller.fail(ec::invalid_argument, "the reason has " + std::to_string(reason.size()) +
                                        " bytes; at most " + std::to_string(reason_size_max) +
                                        " are allowed");
  return true;
}

std::vector<std::string> preemptible_of(const gateway_services& gateway, const id_list& classes) {
  std::vector<std::string> out;
  for (const auto& name : gateway.config.preemptible_classes)
    if (classes.empty() || std::find(classes.begin(), classes.end(), name) != classes.end())
      out.push_back(name);
  return out;
}

void reply_ended(const gateway_services& gateway, const call& caller, const id_list& classes,
                 const ledger::selection_reply& ended, const bus::headers& with) {
  if (ended.ids.empty() && ended.operation.is_nil())
    if (auto known = check_classes(gateway, classes); !known)
      return caller.fail(std::move(known.error()));
  caller.reply(google::protobuf::Empty{}, with);
}

result<void> select_states(const api::JobSetFilter& filter, ledger::job_selection& jobs) {
  if (filter.states().empty()) return {};
  bool pending = false;
  bool running = false;
  jobs.queued = false;
  for (const auto state : filter.states()) {
    pending |= state == api::PENDING;
    running |= state == api::RUNNING;
    jobs.queued |= state == api::QUEUED;
    if (state == api::QUEUED || state == api::PENDING || state == api::RUNNING) continue;
    return fail(ec::invalid_argument,
                "filter.states may name QUEUED, PENDING and RUNNING, not " +
                    (api::JobState_IsValid(state) ? api::JobState_Name(state)
                                                  : std::to_string(static_cast<int>(state))));
  }
  if (pending != running)
    return fail(ec::invalid_argument,
                "filter.states must name PENDING and RUNNING together or neither");
  jobs.leased = jobs.pending = jobs.running = running;
  return {};
}

void by_queue(gateway_services& gateway, const call& caller, const std::vector<ulid>& ids,
              const std::string& queue,
              std::function<void(const std::map<std::string, std::vector<ulid>>&)> then) {
  if (!queue.empty()) {
    then({{queue, ids}});
    return;
  }
  gateway.ask(
      caller, gateway.config.reader,
      [caller, ids, then](const native::job_page_ptr& page) {
        std::map<std::string, std::vector<ulid>> queues;
        for (const auto& job : page->jobs) queues[job.header->queue].push_back(job.header->id);
        if (page->jobs.size() < ids.size()) {
          absl::flat_hash_set<ulid> known;
          for (const auto& job : page->jobs) known.insert(job.header->id);
          for (const auto& id : ids) {
            if (known.contains(id)) continue;
            caller.fail(ec::not_found, "job " + to_string(id) + " does not exist");
            return;
          }
        }
        then(queues);
      },
      atom::query_v, native::get_jobs{ids, false});
}

}  // namespace argosy::actors
