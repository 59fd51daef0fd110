// SPDX-License-Identifier: Apache-2.0
// Goal: what metrics sum up of a queue is the same after a kill, and when all of it is read from
// the log again. Method: the control plane is started again over the same log, with a board of its
// own each time, and what the boards show is compared.
#include <gmock/gmock.h>

#include "messages/probes/queue_probe.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;
using namespace std::chrono_literals;

struct queue_sums_over_restarts : control_plane_test {
  void begin() {
    board = metrics::make_board();
    start([&](actors::root_config& with) { with.probes = board; });
  }

  /// Every sum with its labels, a histogram with its number and its sum in nanoseconds.
  [[nodiscard]] std::vector<std::string> sums() const {
    std::vector<std::string> out;
    for (const auto& family : board->families()) {
      if (family.name != "argosy_jobs_total" && family.name != "argosy_failures_total" &&
          family.name != "argosy_job_wait_seconds" &&
          family.name != "argosy_job_schedule_delay_seconds")
        continue;
      for (const auto& sample : family.samples) {
        auto text = family.name;
        for (const auto& label : sample.labels) text += ' ' + label.second;
        text += " = " + std::to_string(sample.value);
        for (const auto& [bound, count] : sample.at_most) text += ' ' + std::to_string(count);
        out.push_back(text + ' ' + std::to_string(sample.sum));
      }
    }
    return out;
  }

  std::shared_ptr<metrics::board> board;
};

TEST_F(queue_sums_over_restarts, are_those_of_before) {
  begin();
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 2)});
  const auto ids = submit("a", {.count = 3});
  pass(2s);
  agent.end(ids.at(0), run_phase::succeeded);
  agent.end(ids.at(1), run_phase::failed, {2, 0, "Error", ""});
  pass(2s);
  const auto before = sums();
  EXPECT_THAT(before, Contains("argosy_jobs_total a default SUCCEEDED  = 1.000000 0.000000"));
  EXPECT_THAT(before, Not(IsEmpty()));
  crash();
  begin();
  EXPECT_EQ(sums(), before) << "from the store";
  stop();
  database = std::make_shared<store::memory_database>();
  begin();
  EXPECT_EQ(sums(), before) << "from the log";
  reconnect_agents();
  pass(2s);
  agent.end(ids.at(2), run_phase::succeeded);
  pass();
  EXPECT_THAT(sums(), Contains("argosy_jobs_total a default SUCCEEDED  = 2.000000 0.000000"))
      << "they go on";
}

}  // namespace argosy::tests
