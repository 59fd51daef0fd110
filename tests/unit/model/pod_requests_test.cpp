// SPDX-License-Identifier: Apache-2.0
// Goal: a pod counts as Kubernetes counts it. Method: small pods, whose sums are written out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/model/pod_requests.hpp"

namespace argosy::model {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

resource_list cpu(std::int64_t amount) {
  return {{"cpu", amount}};
}

TEST(pod_requests, containers_add_up) {
  EXPECT_THAT(pod_requests({cpu(1), cpu(2)}, {}), ElementsAre(Pair("cpu", 3)));
}

TEST(pod_requests, an_init_container_counts_if_it_needs_more_than_all_that_comes_later) {
  EXPECT_THAT(pod_requests({cpu(3)}, {{cpu(2)}}), ElementsAre(Pair("cpu", 3)));
  EXPECT_THAT(pod_requests({cpu(3)}, {{cpu(5)}, {cpu(4)}}), ElementsAre(Pair("cpu", 5)));
}

TEST(pod_requests, a_sidecar_runs_beside_what_comes_after_it) {
  EXPECT_THAT(pod_requests({cpu(3)}, {{cpu(2), true}}), ElementsAre(Pair("cpu", 5)));
  EXPECT_THAT(pod_requests({cpu(1)}, {{cpu(2), true}, {cpu(4)}}), ElementsAre(Pair("cpu", 6)));
  EXPECT_THAT(pod_requests({cpu(1)}, {{cpu(4)}, {cpu(2), true}}), ElementsAre(Pair("cpu", 4)));
}

TEST(pod_requests, overhead_counts_all_the_time) {
  EXPECT_THAT(pod_requests({cpu(1)}, {{cpu(5)}}, {{"cpu", 2}, {"memory", 7}}),
              ElementsAre(Pair("cpu", 7), Pair("memory", 7)));
}

}  // namespace
}  // namespace argosy::model
