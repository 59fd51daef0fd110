// SPDX-License-Identifier: Apache-2.0
// Goal: what a role may call is the same over every transport. Method: the lists of the nats-server
// against the answer for one call.
#include "runtime/access/role.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace argosy::access {

namespace {

bool permitted_by_server(role value, const std::string& method) {
  const auto subject = api_subject("ann", method);
  const auto any_query = api_subject("ann", "Query.*");
  return std::ranges::any_of(permissions_of(value, "ann").publish, [&](const std::string& entry) {
    return entry == subject || entry == api_subject("ann", ">") ||
           (entry == any_query && method.starts_with("Query."));
  });
}

TEST(roles, may_call_the_same_methods_over_every_transport) {
  const std::vector<std::string> methods{"Submit.SubmitJobs",
                                         "Submit.CancelJobs",
                                         "Submit.GetQueue",
                                         "Submit.CreateQueue",
                                         "Logs.Read",
                                         "Query.ListJobs",
                                         "Query.Whatever",
                                         "Queryx.ListJobs",
                                         "Event.Watch",
                                         "Trace.ReportSpans",
                                         "Trace.GetTrace",
                                         "Jobs.GetJobStatus",
                                         "QueueService.GetQueues",
                                         "QueueService.DeleteQueue",
                                         "ClusterService.ForgetCluster",
                                         ""};
  for (const auto value : {role::control_plane, role::agent, role::viewer, role::submitter,
                           role::operator_, role::owner})
    for (const auto& method : methods)
      EXPECT_EQ(may_call(value, method), permitted_by_server(value, method))
          << to_string(value) << " " << method;
}

}  // namespace

}  // namespace argosy::access
