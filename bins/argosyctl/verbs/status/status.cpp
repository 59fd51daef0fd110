// SPDX-License-Identifier: Apache-2.0
// The verb status: asks the server what the person on call has to know.
#include "bins/argosyctl/client/pages.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/status/status_text.hpp"
#include "messages/proto/argosy/explain.pb.h"

namespace argosy::ctl {

namespace {

/// Jobs that are held, or whose queue is cordoned, are passed over; one of so many will do.
constexpr std::uint32_t first_jobs_looked_at = 100;

class status_command final : public command {
 public:
  explicit status_command(CLI::App& app) {
    app.footer(
        "argosyctl status\n"
        "argosyctl status -o json | jq -r '.wrong[].text'");
  }
  std::vector<std::string> formats() const override { return {"table", "json"}; }
  result<exit_code> run(session& s) override;
};

/// Keeps an answer, or notes why there is none. An error is that the server is gone.
template <class Response>
result<void> keep(result<Response> got, const char* what, Response& into, status_facts& facts) {
  if (got) {
    into = std::move(*got);
    return {};
  }
  const auto code = got.error().code;
  if (code == ec::unreachable || code == ec::cancelled) return fail(std::move(got.error()));
  facts.unknown.emplace_back(what, got.error().detail);
  return {};
}

/// The first job, from the oldest or the newest one on, that waits and could start.
result<argosy::v1::FindJobsResponse> find_waiting(client& server, bool oldest) {
  argosy::v1::FindJobsRequest request;
  request.set_where("state:queued");
  request.set_order_by("changed");
  request.set_ascending(oldest);
  request.set_limit(first_jobs_looked_at);
  return call<argosy::v1::FindJobsResponse>(server, "Query.FindJobs", request);
}

std::optional<argosy::v1::JobSummary> first_wanting(const argosy::v1::FindJobsResponse& found,
                                                    const status_facts& facts) {
  const auto is_cordoned = [&](const std::string& name) {
    for (const auto& queue : facts.queues.queues())
      if (queue.queue().name() == name) return queue.queue().cordoned();
    return false;
  };
  // The server searches first and describes the jobs then; one may have been leased in between.
  for (const auto& job : found.jobs())
    if (job.summary().state() == api::JobState::QUEUED && !job.summary().has_hold() &&
        !is_cordoned(job.summary().queue()))
      return job.summary();
  return {};
}

result<void> ask_for_jobs(client& server, status_facts& facts) {
  if (waiting_of(facts).wanting() == 0) return {};
  argosy::v1::FindJobsResponse oldest;
  argosy::v1::FindJobsResponse newest;
  auto kept = keep(find_waiting(server, true), "which job has waited longest", oldest, facts);
  if (kept && facts.unknown.empty())
    kept = keep(find_waiting(server, false), "which job came last", newest, facts);
  facts.oldest = first_wanting(oldest, facts);
  facts.newest = first_wanting(newest, facts);
  return kept;
}

result<void> ask_for_lists(client& server, status_facts& facts) {
  using namespace argosy::v1;
  auto kept = keep(call<ListClustersResponse>(server, "Query.ListClusters", ListClustersRequest{}),
                   "the clusters", facts.clusters, facts);
  if (kept)
    kept = keep(call<ListPoolsResponse>(server, "Query.ListPools", ListPoolsRequest{}), "the pools",
                facts.pools, facts);
  if (kept)
    kept = keep(call_pages<ListNodesResponse>(server, "Query.ListNodes", ListNodesRequest{}),
                "the nodes", facts.nodes, facts);
  if (kept)
    kept = keep(call_pages<ListQueuesResponse>(server, "Query.ListQueues", ListQueuesRequest{}),
                queues_asked, facts.queues, facts);
  return kept;
}

result<void> ask_for_rounds(client& server, status_facts& facts) {
  argosy::v1::ListRoundsRequest request;
  request.set_since_ns(facts.now_ns);  // No spans, which are many.
  return keep(call<argosy::v1::ListRoundsResponse>(server, "Explain.ListRounds", request),
              "the last rounds", facts.rounds, facts);
}

result<exit_code> status_command::run(session& s) {
  auto server = s.server_soon();
  if (!server) return fail(std::move(server.error()));
  status_facts facts;
  facts.now_ns = s.now_ns();
  const auto version = (*server)->exchange(
      "Query.GetVersion", argosy::v1::GetVersionRequest{}.SerializeAsString(), repeatable::yes, {});
  if (!version) return fail(version.error());
  auto read = decode("Query.GetVersion", version->data, facts.server);
  if (!read) return fail(std::move(read.error()));
  auto asked = ask_for_lists(**server, facts);
  if (asked) asked = ask_for_rounds(**server, facts);
  if (asked) asked = ask_for_jobs(**server, facts);
  if (!asked) return fail(std::move(asked.error()));
  if (s.as == format::json)
    s.out.print_line(status_json(facts));
  else
    s.out.print(status_text(facts, s.out.where().colours));
  return exit_code::success;
}

}  // namespace

void define_status(CLI::App& app, command_set& commands) {
  define_verb<status_command>(app, commands);
}

}  // namespace argosy::ctl
