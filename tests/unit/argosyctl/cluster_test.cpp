// SPDX-License-Identifier: Apache-2.0
// Goal: a cluster is forgotten only by somebody who has said that he means it. Method: the whole
// command line against a scripted server; the requests it received.
#include "tests/unit/argosyctl/cli_fixture.hpp"

namespace argosy::ctl {

using argosy::v1::ForgetClusterRequest;
using ::testing::HasSubstr;

class cluster_verb : public cli_fixture {
 protected:
  void serve(std::uint32_t runs) {
    argosy::v1::ForgetClusterResponse response;
    response.set_runs(runs);
    server->always(method, response);
  }

  static constexpr auto method = "ClusterService.ForgetCluster";
};

TEST_F(cluster_verb, forgets_a_cluster) {
  serve(3);
  const auto done = run({"cluster", "forget", "east", "--reason", "it burnt", "--yes"});
  EXPECT_EQ(done.code, exit_code::success);
  EXPECT_EQ(done.out, "cluster/east forgotten, 3 runs count as stopped\n");
  const auto sent = server->nth<ForgetClusterRequest>(method, 0);
  EXPECT_EQ(sent.name(), "east");
  EXPECT_EQ(sent.reason(), "it burnt");
}

TEST_F(cluster_verb, asks_for_a_yes_before_it_forgets) {
  serve(3);
  const auto done = run({"cluster", "forget", "east"});
  EXPECT_EQ(done.code, exit_code::usage);
  EXPECT_THAT(done.err, HasSubstr("repeat this with --yes"));
  EXPECT_EQ(server->calls(method), 0U);
}

}  // namespace argosy::ctl
