// SPDX-License-Identifier: Apache-2.0
// The service Query gives lists and descriptions for the command line.
#include <algorithm>

#include "actors/api/fan_out.hpp"
#include "actors/api/gateway_services.hpp"
#include "actors/api/selections.hpp"
#include "actors/api/summaries.hpp"
#include "actors/api/waiting.hpp"
#include "messages/codec/api/event_id.hpp"
#include "messages/codec/api/job_codec.hpp"
#include "messages/codec/api/queue_codec.hpp"
#include "messages/native/page_room.hpp"
#include "messages/probes/log/plane_probe.hpp"
#include "messages/probes/standby_probe.hpp"
#include "runtime/logging/line.hpp"

namespace argosy::actors {

namespace {

/// The API's name of the state, or its number if it has no name.
std::string state_text(int state) {
  const auto& name = api::JobState_Name(static_cast<api::JobState>(state));
  return name.empty() ? std::to_string(state) : name;
}

/// Has `reply` answer, unless nothing was found and the queue that was named does not exist.
void reply_if_known(gateway_services& gateway, const call& caller, const std::string& queue,
                    bool is_empty, std::function<void()> reply) {
  if (!is_empty || queue.empty()) return reply();
  gateway.with_queue(caller, queue, [reply = std::move(reply)](const queue_actor&) { reply(); });
}

/// Answers, after adding why jobs wait.
void reply_jobs(gateway_services& gateway, const call& caller, const native::job_page& page) {
  auto response = std::make_shared<v1::ListJobsResponse>();
  std::vector<waiting_job> waiting;
  native::page_room room{static_cast<std::uint32_t>(page.jobs.size()),
                         static_cast<std::uint32_t>(page.jobs.size())};
  for (const auto& job : page.jobs) {
    auto& summary = *response->add_jobs();
    summarize(job, *gateway.config.contacts, summary);
    if (!room.take(summary.ByteSizeLong())) {
      // The jobs that do not fit into the answer come with the next page.
      response->mutable_jobs()->RemoveLast();
      response->set_cursor(response->jobs().rbegin()->job_id());
      break;
    }
    if (job.state == model::job_state::queued && summary.reason().empty())
      waiting.push_back({job.header->id, &summary});
  }
  if (page.next && response->cursor().empty()) response->set_cursor(to_string(*page.next));
  add_reasons(gateway, caller, std::move(waiting), [caller, response] { caller.reply(*response); });
}

void list_jobs(gateway_services& gateway, const call& caller, const v1::ListJobsRequest& request) {
  if (refuse_count(gateway, caller, request.id_prefixes_size())) return;
  native::list_jobs query;
  query.queue = model::queue_name{request.queue()};
  query.job_set = request.job_set();
  query.active_only = request.active_only();
  query.limit = request.limit() == 0 ? 10'000 : request.limit();
  query.id_prefixes.assign(request.id_prefixes().begin(), request.id_prefixes().end());
  for (const auto state : request.states()) {
    const auto known = codec::from_wire(static_cast<api::JobState>(state));
    const auto& taken = query.states;
    if (!known) {
      caller.fail(ec::invalid_argument, "no job is ever in state " + state_text(state) +
                                            "; the states are " + codec::job_state_names());
      return;
    }
    if (std::find(taken.begin(), taken.end(), *known) == taken.end())
      query.states.push_back(*known);
  }
  if (!request.cursor().empty()) {
    const auto cursor = parse_ulid(request.cursor());
    if (!cursor) {
      caller.fail(cursor.error());
      return;
    }
    query.after = *cursor;
  }
  query.asked_by = caller.asker(gateway.config.request_timeout);
  gateway.ask(
      caller, gateway.config.list_reader,
      [&gateway, caller, queue = request.queue()](const native::job_page_ptr& page) {
        reply_if_known(gateway, caller, queue, page->jobs.empty(),
                       [&gateway, caller, page] { reply_jobs(gateway, caller, *page); });
      },
      atom::query_v, query);
}

void list_job_sets(gateway_services& gateway, const call& caller,
                   const v1::ListJobSetsRequest& request) {
  gateway.ask(
      caller, gateway.config.reader,
      [&gateway, caller, queue = request.queue()](const native::job_sets_ptr& page) {
        reply_if_known(gateway, caller, queue, page->sets.empty(), [caller, page] {
          v1::ListJobSetsResponse response;
          for (const auto& set : page->sets) summarize(set, *response.add_job_sets());
          response.set_cursor(page->next);
          caller.reply(response);
        });
      },
      atom::query_v,
      native::list_job_sets{model::queue_name{request.queue()}, request.active_only(),
                            request.limit(), request.cursor()});
}

std::uint64_t count_of(const std::map<model::job_state, std::uint64_t>& counts,
                       model::job_state state) {
  const auto found = counts.find(state);
  return found == counts.end() ? 0 : found->second;
}

/// The summary itself holds the shares in the pool where the queue has most.
void summarize_shares(const native::pool_shares& shares, v1::QueueSummary& out) {
  const auto most =
      std::max_element(shares.begin(), shares.end(), [](const auto& a, const auto& b) {
        return std::pair(a.second.actual, a.second.demand) <
               std::pair(b.second.actual, b.second.demand);
      });
  if (most == shares.end()) return;
  out.set_share_pool(most->first);
  out.set_fair_share(most->second.fair);
  out.set_actual_share(most->second.actual);
  out.set_demand_share(most->second.demand);
  for (const auto& [pool, share] : shares) {
    auto& one = *out.add_shares();
    one.set_pool(pool);
    one.set_fair_share(share.fair);
    one.set_actual_share(share.actual);
    one.set_demand_share(share.demand);
  }
}

void summarize_queue(const native::queue_status& status, const native::pool_shares& shares,
                     v1::QueueSummary& out) {
  using model::job_state;
  codec::to_wire(status.settings, *out.mutable_queue());
  out.set_held(static_cast<std::uint32_t>(status.held));
  out.set_blocked(static_cast<std::uint32_t>(status.blocked));
  out.set_unfit(status.unfit);
  out.set_queued(static_cast<std::uint32_t>(count_of(status.live, job_state::queued)));
  out.set_leased(static_cast<std::uint32_t>(count_of(status.live, job_state::leased)));
  out.set_pending(static_cast<std::uint32_t>(count_of(status.live, job_state::pending)));
  out.set_running(static_cast<std::uint32_t>(count_of(status.live, job_state::running)));
  summarize_shares(shares, out);
  out.set_succeeded(status.totals.succeeded);
  out.set_failed(status.totals.failed + status.totals.rejected);
  out.set_cancelled(status.totals.cancelled);
  out.set_preempted(status.totals.preempted);
  out.set_usage_cpu_ms(status.totals.usage_cpu_ms);
  out.set_version(status.version);
}

using queue_statuses = std::map<model::queue_name, native::queue_status_ptr>;

v1::ListQueuesResponse queue_page(const queue_statuses& queues, const native::share_list& rounds,
                                  const v1::ListQueuesRequest& request) {
  v1::ListQueuesResponse response;
  native::page_room room{request.limit()};
  for (auto at = queues.upper_bound(model::queue_name{request.cursor()}); at != queues.end();
       ++at) {
    const auto shares = rounds.shares.find(at->first);
    v1::QueueSummary summary;
    summarize_queue(*at->second,
                    shares == rounds.shares.end() ? native::pool_shares{} : shares->second,
                    summary);
    if (const auto by = rounds.slowed.find(at->first); by != rounds.slowed.end())
      summary.set_slowed(by->second);
    if (!room.take(summary.ByteSizeLong())) {
      response.set_cursor(response.queues().rbegin()->queue().name());
      break;
    }
    response.add_queues()->Swap(&summary);
  }
  return response;
}

void list_queues(gateway_services& gateway, const call& caller,
                 const v1::ListQueuesRequest& request) {
  gateway.ask(
      caller, gateway.config.explainer,
      [&gateway, caller, request](const native::share_list_ptr& rounds) {
        auto queues = std::make_shared<queue_statuses>();
        each_queue<native::queue_status_ptr>(
            gateway, caller,
            [queues](const native::queue_status_ptr& status) {
              (*queues)[status->settings.name] = status;
            },
            [caller, queues, rounds, request] {
              caller.reply(queue_page(*queues, *rounds, request));
            },
            atom::status_v);
      },
      atom::list_v);
}

/// Writes how full store and log are. A figure that is not known yet is left out.
void tell_room(const eventlog::log_load& load, v1::GetVersionResponse& out) {
  if (const auto lives = load.store(); lives.bytes_max != 0) {
    const auto file = load.store_file();
    auto& store = *out.mutable_store();
    store.set_used_bytes(lives.bytes);
    store.set_usable_bytes(lives.bytes_max);
    store.set_limit_bytes(file.bytes_max);
    store.set_file_bytes(file.bytes);
    store.set_held_bytes(load.store_held());
  }
  if (const auto disk = load.disk(); disk.bytes != 0) {
    out.mutable_disk()->set_free_bytes(disk.free_bytes);
    out.mutable_disk()->set_bytes(disk.bytes);
  }
  const auto taken = load.log();
  if (taken.bytes == 0) return;
  auto& log = *out.mutable_log();
  log.set_used_bytes(taken.bytes);
  log.set_limit_bytes(taken.bytes_max);
  log.set_records(load.log_records());
  log.set_older_bytes(load.log_older_bytes());
}

void add_concern(health::concern one, v1::GetVersionResponse& to) {
  auto& out = *to.add_concerns();
  out.set_bad(one.bad);
  out.set_kind(std::move(one.kind));
  out.set_text(std::move(one.text));
}

void get_version(gateway_services& gateway, const call& caller, const v1::GetVersionRequest&) {
  gateway.ask(
      caller, gateway.config.coordinator,
      [&gateway, caller](const native::coordinator_status_ptr& status) {
        v1::GetVersionResponse response;
        response.set_version(gateway.config.version);
        response.set_commit(gateway.config.commit);
        response.set_epoch(gateway.config.epoch.value);
        response.set_position(status->position.value);
        response.set_event_id(
            codec::event_id_behind(gateway.config.lineage->all()->place_at(status->position)));
        response.set_started_ns(gateway.started_ns);
        response.set_preset(gateway.config.preset);
        if (gateway.config.load) tell_room(*gateway.config.load, response);
        const auto waiting =
            gateway.config.probes->get<probes::standby_probe>(*gateway.config.clock);
        for (const auto& one : waiting->all()) {
          auto& standby = *response.add_standbys();
          standby.set_holder(one.holder);
          standby.set_problem(one.problem);
          // It may have told of a later record than those that were counted here.
          if (one.applied)
            standby.set_behind(response.position() -
                               std::min(response.position(), one.applied->value));
        }
        if (const auto planes = gateway.config.probes->get<probes::plane_probe>()->facts())
          if (const auto warning = probes::warning_of(*planes))
            add_concern({warning->bad, "planes", {}, warning->text}, response);
        for (const auto& one : status->silent)
          add_concern(
              {true, "silence", one.who,
               one.who + " has not answered since " + logging::utc_text(from_nanos(one.since_ns)) +
                   "; rounds go on without it: see the log for what it is doing"},
              response);
        if (gateway.config.concerns)
          for (auto& one : gateway.config.concerns()) add_concern(std::move(one), response);
        caller.reply(response);
      },
      atom::status_v);
}

}  // namespace

void add_query_service(method_table& table) {
  table["Query.ListJobs"] = decoded<v1::ListJobsRequest>(list_jobs);
  table["Query.ListJobSets"] = decoded<v1::ListJobSetsRequest>(list_job_sets);
  table["Query.ListQueues"] = decoded<v1::ListQueuesRequest>(list_queues);
  table["Query.GetVersion"] = decoded<v1::GetVersionRequest>(get_version);
  add_cluster_lists(table);
  add_describe_methods(table);
  add_search_methods(table);
}

}  // namespace argosy::actors
