// SPDX-License-Identifier: Apache-2.0
// Goal: whoever shows the jobs of a queue learns of each of their changes, and of no other's.
// Method: a control plane in virtual time that notes where jobs change.
#include "runtime/eventlog/recent_changes.hpp"

#include <gmock/gmock.h>

#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

struct noted_changes : control_plane_test {
  void begin() {
    const auto load = std::make_shared<eventlog::log_load>(64u << 20);
    load->set_changes(changes);
    position = [load] { return load->position().value; };
    start([load](actors::root_config& with) {
      with.load = load;
      with.retention.jobs = 120s;
    });
  }
  /// The queues in which jobs change while something is done.
  template <class Action>
  std::optional<std::vector<eventlog::name_print>> changed_by(Action action) {
    const auto before = position();
    action();
    return changes->since({before}, 100).queues;
  }

  const std::shared_ptr<eventlog::recent_changes> changes =
      std::make_shared<eventlog::recent_changes>();
  std::function<std::uint64_t()> position;
};

TEST_F(noted_changes, are_those_of_the_jobs_of_a_queue_until_old_ones_expire) {
  begin();
  create_queue("a");
  create_queue("b");
  auto& agent = add_agent("c", {node_of("n", 2)});
  submit("b");
  const auto first = submit("a").at(0);
  pass();
  EXPECT_THAT(*changed_by([&] {
    agent.end(first, run_phase::succeeded);
    pass(2s);
  }),
              ElementsAre(eventlog::print_of("a")));
  EXPECT_THAT(*changed_by([&] { create_queue("d"); }), IsEmpty()) << "no job has changed";
  EXPECT_THAT(*changed_by([&] { submit("b"); }), ElementsAre(eventlog::print_of("b")));
  const auto before = position();
  advance(1h);
  EXPECT_FALSE(changes->since({before}, 100).queues) << "jobs of any queue may have gone";
}

}  // namespace argosy::tests
