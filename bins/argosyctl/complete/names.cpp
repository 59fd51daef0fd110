// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/complete/names.hpp"

#include <algorithm>
#include <chrono>

#include "bins/argosyctl/client/contexts.hpp"
#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/client/pages.hpp"
#include "messages/proto/argosy/operations.pb.h"

namespace argosy::ctl {

namespace {

using words_list = std::vector<std::string>;

constexpr std::chrono::milliseconds patience{1'000};
constexpr std::uint32_t jobs_shown = 50;

/// The words that `name` makes of the items of an answer.
template <class Response, class Request, class Name>
words_list listed(client& server, const char* method, const Request& request,
                  const std::string& begun, Name name) {
  words_list out;
  const auto answer = call_pages<Response>(server, method, request);
  if (answer) name(*answer, [&](const std::string& word) { add_if(out, word, begun); });
  return out;
}

words_list job_set_names(client& server, const std::string& begun) {
  words_list out;
  const auto sets = list_job_sets(server, {});
  if (sets)
    for (const auto& set : *sets) add_if(out, set.job_set(), begun);
  return out;
}

words_list job_ids(session& s, const std::string& begun) {
  words_list out;
  add_if(out, "@last", begun);
  if (!begun.empty() && !is_job_id_prefix(lower_case(begun))) return out;
  auto server = s.server();
  if (!server) return out;
  argosy::v1::ListJobsRequest request;
  if (!begun.empty()) request.add_id_prefixes(lower_case(begun));
  request.set_limit(jobs_shown);
  const auto jobs = list_jobs(**server, request);
  if (jobs)
    for (const auto& job : *jobs) out.push_back(job.job_id());
  return out;
}

words_list context_names(const session& s, const std::string& begun) {
  words_list out;
  const auto all = read_contexts(contexts_file(s.env));
  if (!all) return out;
  for (const auto& one : all->contexts) add_if(out, one.name, begun);
  return out;
}

words_list names_at(client& server, std::string_view what, const std::string& begun) {
  namespace v1 = argosy::v1;
  if (what == "queues")
    return listed<v1::ListQueuesResponse>(server, "Query.ListQueues", v1::ListQueuesRequest{},
                                          begun, [](const auto& all, const auto& add) {
                                            for (const auto& one : all.queues())
                                              add(one.queue().name());
                                          });
  if (what == "nodes")
    return listed<v1::ListNodesResponse>(server, "Query.ListNodes", v1::ListNodesRequest{}, begun,
                                         [](const auto& all, const auto& add) {
                                           for (const auto& one : all.nodes())
                                             add(one.cluster() + "/" + one.name());
                                         });
  if (what == "operations")
    return listed<v1::ListOperationsResponse>(server, "Query.ListOperations",
                                              v1::ListOperationsRequest{}, begun,
                                              [](const auto& all, const auto& add) {
                                                for (const auto& one : all.operations())
                                                  add(one.id());
                                              });
  words_list out;
  if (what == "clusters") {
    const auto all =
        call<v1::ListClustersResponse>(server, "Query.ListClusters", v1::ListClustersRequest{});
    if (all)
      for (const auto& one : all->clusters()) add_if(out, one.name(), begun);
  } else if (what == "pools") {
    const auto all = call<v1::ListPoolsResponse>(server, "Query.ListPools", v1::ListPoolsRequest{});
    if (all)
      for (const auto& one : all->pools()) add_if(out, one.name(), begun);
  } else if (what == "retry-policies") {
    const auto all = call<api::RetryPolicyList>(server, "RetryPolicyService.GetRetryPolicies",
                                                api::RetryPolicyListRequest{});
    if (all)
      for (const auto& one : all->retry_policies()) add_if(out, one.name(), begun);
  } else if (what == "jobsets") {
    out = job_set_names(server, begun);
  }
  return out;
}

}  // namespace

void add_if(words_list& out, const std::string& word, const std::string& begun) {
  if (word.starts_with(begun) && std::find(out.begin(), out.end(), word) == out.end())
    out.push_back(word);
}

words_list names_of(session& s, std::string_view what, const std::string& begun) {
  if (what.empty()) return {};
  if (what == "contexts") return context_names(s, begun);
  s.timeout = patience;
  if (what == "jobs") return job_ids(s, begun);
  auto server = s.server();
  return server ? names_at(**server, what, begun) : words_list{};
}

}  // namespace argosy::ctl
