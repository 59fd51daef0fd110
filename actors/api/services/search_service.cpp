// SPDX-License-Identifier: Apache-2.0
// These methods of the service Query find and group jobs by what they are, ended ones too.
#include <algorithm>
#include <chrono>

#include "actors/api/gateway_services.hpp"
#include "actors/api/selections.hpp"
#include "actors/api/summaries.hpp"
#include "actors/api/waiting.hpp"
#include "messages/codec/api/search_codec.hpp"

namespace argosy::actors {

namespace {

codec::search_context context_of(const gateway_services& gateway, const call& caller) {
  return {to_nanos(gateway.config.clock->wall()), caller.principal()};
}

/// At its deadline a search ends with what it has found. That is so early that the answer still
/// reaches the caller in time.
native::asker search_asker(const gateway_services& gateway, const call& caller) {
  auto out = caller.asker(gateway.config.request_timeout);
  const auto now = gateway.self->clock().now();
  out.deadline = now + std::min<std::chrono::nanoseconds>(gateway.config.request_timeout / 2,
                                                          (out.deadline - now) / 5 * 4);
  return out;
}

void reply(gateway_services& gateway, const call& caller, const native::found_jobs& page) {
  auto response = std::make_shared<v1::FindJobsResponse>();
  std::vector<waiting_job> waiting;
  for (const auto& job : page.jobs) {
    auto& out = *response->add_jobs();
    auto& summary = *out.mutable_summary();
    summarize(job.record, *gateway.config.contacts, summary);
    codec::to_wire(job, out);
    if (job.record.state == model::job_state::queued && summary.reason().empty())
      waiting.push_back({job.record.header->id, &summary});
  }
  if (page.next) response->set_cursor(codec::cursor_of(*page.next));
  response->set_incomplete(page.incomplete);
  response->set_looked_at(page.looked_at);
  add_reasons(gateway, caller, std::move(waiting), [caller, response] { caller.reply(*response); });
}

void find_jobs(gateway_services& gateway, const call& caller, const v1::FindJobsRequest& request) {
  auto query = codec::from_wire(request, context_of(gateway, caller));
  if (!query) {
    caller.fail(query.error());
    return;
  }
  // A list may be filtered by a class that is gone, since jobs of it stay; only a check refuses it.
  if (caller.header(bus::header::mode) == "check")
    for (const auto& one : request.conditions())
      if (one.field() == "priorityClass")
        if (auto known = check_classes(gateway, one.values()); !known)
          return caller.fail(std::move(known.error()));
  gateway.ask(
      caller, gateway.config.list_reader,
      [&gateway, caller](const native::found_jobs_ptr& page) { reply(gateway, caller, *page); },
      atom::query_v, native::find_jobs{std::move(*query), search_asker(gateway, caller)});
}

void group_jobs(gateway_services& gateway, const call& caller,
                const v1::GroupJobsRequest& request) {
  auto query = codec::from_wire(request, context_of(gateway, caller));
  if (!query) {
    caller.fail(query.error());
    return;
  }
  gateway.ask(
      caller, gateway.config.list_reader,
      [caller](const native::job_groups_ptr& found) {
        v1::GroupJobsResponse response;
        for (const auto& group : found->groups) codec::to_wire(group, *response.add_groups());
        response.set_groups_in_all(found->groups_in_all);
        response.set_incomplete(found->incomplete);
        response.set_looked_at(found->looked_at);
        caller.reply(response);
      },
      atom::query_v, native::group_jobs{std::move(*query), search_asker(gateway, caller)});
}

}  // namespace

void add_search_methods(method_table& table) {
  table["Query.FindJobs"] = decoded<v1::FindJobsRequest>(find_jobs);
  table["Query.GroupJobs"] = decoded<v1::GroupJobsRequest>(group_jobs);
}

}  // namespace argosy::actors
