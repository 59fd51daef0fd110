// SPDX-License-Identifier: Apache-2.0
// Goal: whoever asks all parts hears of each kind, of no more than ten of one kind, and learns who
// does not answer. Method: a system with real threads; one actor is held in its handler until the
// question is over.
#include "actors/status_page.hpp"

#include <gtest/gtest.h>

#include <caf/actor_system_config.hpp>
#include <future>
#include <vector>

#include "actors/interfaces/status.hpp"
#include "actors/log/reader.hpp"
#include "runtime/store/in_memory.hpp"
#include "runtime/trace/caf/live_actors.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::tests {

namespace {

using namespace std::chrono_literals;

using stuck_actor = actors::status_actor::extend<caf::reacts_to<atom::flush>>;

struct stuck_state {
  static inline const char* name = "argosy.stuck";
  explicit stuck_state(traced_pointer<stuck_actor, stuck_state>) {}
};

/// What the actor waits for, and how it tells that it has begun to wait.
struct gate {
  std::promise<void> reached;
  std::shared_future<void> opened;
};

stuck_actor::behavior_type stuck_behavior(traced_pointer<stuck_actor, stuck_state>,
                                          std::shared_ptr<gate> at) {
  return {
      [](atom::status, atom::figures) {
        return metrics::figure_list{{"stuck", 0.0}};
      },
      [at](atom::flush) {
        at->reached.set_value();
        at->opened.wait();
      },
  };
}

struct status_page : ::testing::Test {
  ~status_page() override {
    for (const auto& actor : trace::live_actors(system))
      caf::anon_send_exit(actor.handle, caf::exit_reason::kill);
  }

  caf::actor_system_config config;
  caf::actor_system system{config};
};

}  // namespace

TEST_F(status_page, asks_at_most_ten_of_a_kind) {
  const auto database = std::make_shared<store::memory_database>();
  std::vector<actors::reader_actor> readers;
  for (int i = 0; i < 12; ++i)
    readers.push_back(actors::spawn_reader(system, {database}, actors::run_on::pool));
  const auto parts = actors::ask_all_parts(system, 10s);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].part, "reader");
  EXPECT_EQ(parts[0].actors, 12U);
  EXPECT_EQ(parts[0].silent, 0U);
  ASSERT_EQ(parts[0].answers.size(), 10U);
  EXPECT_FALSE(parts[0].answers[0].empty());
}

TEST_F(status_page, counts_who_does_not_answer_and_does_not_wait_for_them) {
  const auto at = std::make_shared<gate>();
  std::promise<void> open;
  at->opened = open.get_future().share();
  const auto stuck = system.spawn<caf::detached>(stuck_behavior, at);
  caf::anon_send(stuck, atom::flush_v);
  at->reached.get_future().wait();
  const auto reader = actors::spawn_reader(system, {std::make_shared<store::memory_database>()},
                                           actors::run_on::pool);
  const auto parts = actors::ask_all_parts(system, 300ms);
  open.set_value();
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].part, "reader");
  EXPECT_EQ(parts[0].answers.size(), 1U);
  EXPECT_EQ(parts[1].part, "stuck");
  EXPECT_EQ(parts[1].actors, 1U);
  EXPECT_EQ(parts[1].silent, 1U);
  EXPECT_TRUE(parts[1].answers.empty());
}

}  // namespace argosy::tests
