// SPDX-License-Identifier: Apache-2.0
// Goal: what rounds hand on to later rounds outlasts the process. Method: tokens for starts that
// hardly ever come back are used up; the control plane ends and starts again over the same log,
// with its store or with an empty one.
#include <gmock/gmock.h>

#include "runtime/scheduling/config.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::SizeIs;

struct handed_on : control_plane_test {
  void begin() {
    start([](actors::root_config& with) {
      auto conf = scheduling::default_config();
      conf.queue_rate = 0.001;
      conf.queue_burst = 2;
      with.scheduling = std::make_shared<const scheduling::config>(conf);
    });
  }

  std::size_t running(const scripted_agent& agent) { return agent->live.size(); }
};

TEST_F(handed_on, tokens_are_not_given_twice_after_a_restart) {
  begin();
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 10)});
  submit("a", {.count = 6});
  pass(std::chrono::seconds{3});
  ASSERT_EQ(running(agent), 2U);
  crash();
  begin();
  pass(std::chrono::seconds{30});
  EXPECT_EQ(running(agent), 2U) << "with its store";
  crash();
  database = std::make_shared<store::memory_database>();
  begin();
  pass(std::chrono::seconds{30});
  EXPECT_EQ(running(agent), 2U) << "from the log alone";
  EXPECT_THAT(jobs("a"), SizeIs(6));
}

}  // namespace argosy::tests
