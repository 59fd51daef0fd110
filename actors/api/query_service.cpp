// SPDX-License-Identifier: Apache-2.0
// Query: lists and descriptions for the command line.
#include <algorithm>

#include "actors/api/fan_out.hpp"
#include "actors/api/selections.hpp"
#include "actors/api/services.hpp"
#include "actors/api/summaries.hpp"
#include "messages/codec/api/queue_codec.hpp"

namespace argosy::actors {

namespace {

/// Adds why jobs wait, which only the COORDINATOR knows: one question for the whole page.
void reply_jobs(services& all, const call& from, const native::job_page& page) {
  auto response = std::make_shared<v1::ListJobsResponse>();
  auto waiting = std::make_shared<std::vector<ulid>>();
  std::vector<int> places;
  for (const auto& job : page.jobs) {
    auto& summary = *response->add_jobs();
    summarize(job, summary);
    if (job.state != model::job_state::queued || !summary.reason().empty()) continue;
    waiting->push_back(job.header->id);
    places.push_back(response->jobs_size() - 1);
  }
  if (page.next) response->set_cursor(to_string(*page.next));
  if (waiting->empty()) {
    from.reply(*response);
    return;
  }
  all.ask(
      from, all.config.coordinator,
      [from, response, places = std::move(places)](const native::reason_codes_ptr& codes) {
        for (std::size_t i = 0; i < places.size(); ++i)
          response->mutable_jobs(places[i])->set_reason((*codes)[i]);
        from.reply(*response);
      },
      atom::explain_v, native::job_ids_ptr{waiting});
}

void list_jobs(services& all, const call& from, const v1::ListJobsRequest& request) {
  if (refuse_count(all, from, request.id_prefixes_size())) return;
  native::list_jobs query;
  query.queue = request.queue();
  query.job_set = request.job_set();
  query.active_only = request.active_only();
  query.limit = request.limit() == 0 ? 10'000 : request.limit();
  query.id_prefixes.assign(request.id_prefixes().begin(), request.id_prefixes().end());
  for (const auto state : request.states()) {
    const auto known = to_model(static_cast<api::JobState>(state));
    const auto& taken = query.states;
    if (known && std::find(taken.begin(), taken.end(), *known) == taken.end())
      query.states.push_back(*known);
  }
  if (!request.cursor().empty()) {
    const auto cursor = parse_ulid(request.cursor());
    if (!cursor) {
      from.fail(cursor.error());
      return;
    }
    query.after = *cursor;
  }
  all.ask(
      from, all.config.reader,
      [&all, from](const native::job_page_ptr& page) { reply_jobs(all, from, *page); },
      atom::query_v, query);
}

void list_job_sets(services& all, const call& from, const v1::ListJobSetsRequest& request) {
  all.ask(
      from, all.config.reader,
      [from](const native::job_sets_ptr& sets) {
        v1::ListJobSetsResponse response;
        for (const auto& set : *sets) summarize(set, *response.add_job_sets());
        from.reply(response);
      },
      atom::query_v, native::list_job_sets{request.queue(), request.active_only()});
}

void list_nodes(services& all, const call& from, const v1::ListNodesRequest& request) {
  auto response = std::make_shared<v1::ListNodesResponse>();
  each_cluster<native::node_status_list>(
      all, from, atom::list_v,
      [response, only = request.cluster()](const native::node_status_list& nodes) {
        for (const auto& node : *nodes)
          if (only.empty() || node.cluster == only) summarize(node, *response->add_nodes());
      },
      [from, response] { from.reply(*response); });
}

void list_clusters(services& all, const call& from, const v1::ListClustersRequest&) {
  auto response = std::make_shared<v1::ListClustersResponse>();
  each_cluster<native::cluster_status>(
      all, from, atom::status_v,
      [response](const native::cluster_status& status) {
        summarize(status, *response->add_clusters());
      },
      [from, response] { from.reply(*response); });
}

struct pool_sums {
  std::uint32_t nodes = 0;
  std::map<std::string, bool> clusters;
  model::resource_list total;
  model::resource_list used;
};

void list_pools(services& all, const call& from, const v1::ListPoolsRequest&) {
  auto pools = std::make_shared<std::map<std::string, pool_sums>>();
  each_cluster<native::node_status_list>(
      all, from, atom::list_v,
      [pools](const native::node_status_list& nodes) {
        for (const auto& node : *nodes) {
          auto& sums = (*pools)[node.pool];
          ++sums.nodes;
          sums.clusters[node.cluster] = true;
          add_amounts(sums.total, node.info.allocatable);
          add_amounts(sums.used, node.used);
        }
      },
      [from, pools] {
        v1::ListPoolsResponse response;
        for (const auto& [name, sums] : *pools) {
          auto& pool = *response.add_pools();
          pool.set_name(name);
          pool.set_clusters(static_cast<std::uint32_t>(sums.clusters.size()));
          pool.set_nodes(sums.nodes);
          put_amounts(sums.total, *pool.mutable_total());
          put_amounts(sums.used, *pool.mutable_used());
        }
        from.reply(response);
      });
}

std::uint64_t count_of(const std::map<model::job_state, std::uint64_t>& counts,
                       model::job_state state) {
  const auto found = counts.find(state);
  return found == counts.end() ? 0 : found->second;
}

void summarize_queue(const native::queue_status& status, const native::queue_share& share,
                     v1::QueueSummary& out) {
  using model::job_state;
  codec::to_wire(status.settings, *out.mutable_queue());
  out.set_queued(static_cast<std::uint32_t>(count_of(status.live, job_state::queued)));
  out.set_leased(static_cast<std::uint32_t>(count_of(status.live, job_state::leased)));
  out.set_pending(static_cast<std::uint32_t>(count_of(status.live, job_state::pending)));
  out.set_running(static_cast<std::uint32_t>(count_of(status.live, job_state::running)));
  out.set_fair_share(share.fair);
  out.set_actual_share(share.actual);
  out.set_demand_share(share.demand);
  out.set_succeeded(count_of(status.ended, job_state::succeeded));
  out.set_failed(count_of(status.ended, job_state::failed) +
                 count_of(status.ended, job_state::rejected));
  out.set_cancelled(count_of(status.ended, job_state::cancelled));
  out.set_preempted(count_of(status.ended, job_state::preempted));
  out.set_usage_cpu_ms(status.usage_cpu_ms);
}

void list_queues(services& all, const call& from, const v1::ListQueuesRequest&) {
  all.ask(
      from, all.config.coordinator,
      [&all, from](const native::coordinator_status_ptr& rounds) {
        auto queues = std::make_shared<std::map<std::string, native::queue_status_ptr>>();
        each_queue<native::queue_status_ptr>(
            all, from, atom::status_v,
            [queues](const native::queue_status_ptr& status) {
              (*queues)[status->settings.name] = status;
            },
            [from, queues, rounds] {
              v1::ListQueuesResponse response;
              for (const auto& [name, status] : *queues) {
                const auto share = rounds->shares.find(name);
                summarize_queue(
                    *status, share == rounds->shares.end() ? native::queue_share{} : share->second,
                    *response.add_queues());
              }
              from.reply(response);
            });
      },
      atom::status_v);
}

void get_version(services& all, const call& from, const v1::GetVersionRequest&) {
  all.ask(
      from, all.config.coordinator,
      [&all, from](const native::coordinator_status_ptr& status) {
        v1::GetVersionResponse response;
        response.set_version(all.config.version);
        response.set_commit(all.config.commit);
        response.set_epoch(all.config.epoch);
        response.set_position(status->position);
        response.set_started_ns(all.started_ns);
        response.set_preset(all.config.preset);
        from.reply(response);
      },
      atom::status_v);
}

}  // namespace

void add_query_service(method_table& table) {
  table["Query.ListJobs"] = decoded<v1::ListJobsRequest>(list_jobs);
  table["Query.ListJobSets"] = decoded<v1::ListJobSetsRequest>(list_job_sets);
  table["Query.ListNodes"] = decoded<v1::ListNodesRequest>(list_nodes);
  table["Query.ListClusters"] = decoded<v1::ListClustersRequest>(list_clusters);
  table["Query.ListPools"] = decoded<v1::ListPoolsRequest>(list_pools);
  table["Query.ListQueues"] = decoded<v1::ListQueuesRequest>(list_queues);
  table["Query.GetVersion"] = decoded<v1::GetVersionRequest>(get_version);
  add_describe_methods(table);
}

}  // namespace argosy::actors
