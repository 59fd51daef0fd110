// SPDX-License-Identifier: Apache-2.0
// Goal: the JOURNAL goes on in the next generation of the log while commands come in, and whoever
// asks or watches sees no hole. Method: a control plane in virtual time that is asked to roll over,
// with faults of the log at each of its writes.
#include <gmock/gmock.h>

#include "messages/batches/batch_core.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::ElementsAre;
using ::testing::SizeIs;
using namespace std::chrono_literals;

struct roll_over : control_plane_test {
  void begin() {
    start([this](actors::root_config& with) {
      with.load = load = std::make_shared<eventlog::log_load>(64u << 20);
    });
    create_queue("a");
  }
  void ask() {
    load->ask_to_roll_over({generation()});
    // The LEADER has the JOURNAL look each second.
    advance(2s);
  }
  std::uint32_t generation() {
    auto txn = database->begin_read();
    return view::read_position(**txn)->value().generation.value;
  }
  void expect_jobs_after_a_crash(std::size_t count) {
    crash();
    start();
    EXPECT_THAT(jobs("a"), SizeIs(count));
    crash();
    // The logs alone have everything as well.
    database = std::make_shared<store::memory_database>();
    start();
    EXPECT_THAT(jobs("a"), SizeIs(count));
  }

  std::shared_ptr<eventlog::log_load> load;
};

TEST_F(roll_over, takes_commands_before_and_behind_it) {
  begin();
  submit("a");
  ask();
  EXPECT_EQ(generation(), 2u);
  EXPECT_THAT(log->generations().value(),
              ElementsAre(model::log_generation{1}, model::log_generation{2}));
  submit("a");
  ask();
  submit("a");
  EXPECT_EQ(generation(), 3u);
  EXPECT_TRUE(failures.empty());
  expect_jobs_after_a_crash(3);
}

TEST_F(roll_over, of_a_generation_that_has_ended_is_not_done_again) {
  begin();
  submit("a");
  ask();
  load->ask_to_roll_over({1});
  advance(2s);
  EXPECT_EQ(generation(), 2u);
  EXPECT_THAT(log->generations().value(),
              ElementsAre(model::log_generation{1}, model::log_generation{2}));
}

TEST_F(roll_over, of_a_log_that_cannot_have_a_next_one_leaves_it_as_it_is) {
  begin();
  log->set_broken(error{ec::unreachable, "no server"});
  ask();
  log->set_broken({});
  advance(2s);
  EXPECT_EQ(generation(), 1u);
  submit("a");
  ask();
  EXPECT_EQ(generation(), 2u);
  expect_jobs_after_a_crash(1);
}

TEST_F(roll_over, writes_its_records_again_when_their_answers_are_lost) {
  for (const bool stored : {false, true}) {
    begin();
    submit("a");
    const auto before = generation();
    log->fail_next_append({ec::timeout, "no answer"}, stored);
    ask();
    EXPECT_EQ(generation(), before + 1);
    submit("a");
    EXPECT_TRUE(failures.empty());
    crash();
  }
  start();
  EXPECT_THAT(jobs("a"), SizeIs(4));
}

TEST_F(roll_over, steps_over_a_foreign_record_that_stands_where_the_seal_was_to_go) {
  begin();
  submit("a");
  ASSERT_TRUE(log->append(log->last_position().value(), "foreign", "of somebody else"));
  ask();
  advance(2s);
  EXPECT_EQ(generation(), 2u);
  submit("a");
  EXPECT_TRUE(failures.empty());
  expect_jobs_after_a_crash(2);
}

TEST_F(roll_over, is_not_done_by_one_that_was_deposed) {
  begin();
  submit("a");
  auto end = recover_state()->position;
  batches::batch_core other{end, 1'000'000, log_key};
  (void)other.add(other.claim({{0}, "another", {77}}, 1));
  const auto* claim = other.begin();
  ASSERT_TRUE(log->append(claim->position - 1, claim->message_id, *claim->bytes));
  ask();
  EXPECT_THAT(failures, SizeIs(1));
  EXPECT_EQ(generation(), 1u);
}

}  // namespace argosy::tests
