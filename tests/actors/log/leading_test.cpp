// SPDX-License-Identifier: Apache-2.0
// Goal: exactly one process leads, and one that does not lead any more finds out by itself.
// Method: two ROOTs over one log, each with a store of its own, and claims of others written into
// the log behind the back of an idle leader.
#include <gmock/gmock.h>

#include "messages/codec/log/log_codec.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;

struct leading : control_plane_test {
  /// Another process claims the lead and writes nothing else. Without a key it is a forgery.
  void claim_as_other(const std::shared_ptr<const codec::log_key>& signed_with) {
    const auto end = log->info()->last_position;
    model::log_batch batch;
    batch.epoch = {epoch + 1};
    batch.number = 1;
    batch.previous_hash = codec::batch_hash(log->get(end)->data);
    batch.events.push_back({1, {}, model::leader_elected{{epoch + 1}, "other/7", {99}}});
    auto bytes = codec::encode_batch(batch);
    if (signed_with) signed_with->sign(bytes);
    ASSERT_TRUE(log->append(end, "other" + to_string(end), bytes));
  }

  /// Somebody who is no control plane publishes on the log's subject.
  void write_foreign() {
    const auto end = log->info()->last_position;
    ASSERT_TRUE(log->append(end, "foreign" + to_string(end), "x"));
  }
};

namespace {

TEST_F(leading, an_idle_leader_stands_down_when_another_has_claimed) {
  start();
  pass(5s);
  EXPECT_THAT(failures, IsEmpty());
  claim_as_other(log_key);
  pass(2s);
  ASSERT_THAT(failures, SizeIs(1));
  EXPECT_THAT(failures[0],
              HasSubstr("another argosyd (other/7) has claimed the lead with epoch 2"));
  EXPECT_EQ(actors_alive(), 0U);
}

TEST_F(leading, goes_on_after_a_pause_in_which_nobody_has_claimed) {
  start();
  create_queue("a");
  scheduler.advance_time(120s);
  settle();
  pass(2s);
  EXPECT_THAT(failures, IsEmpty());
  create_queue("b");
}

TEST_F(leading, finds_out_at_once_after_a_pause_that_another_has_claimed) {
  start();
  pass(5s);
  create_queue("a");
  claim_as_other(log_key);
  scheduler.advance_time(120s);
  settle();
  ASSERT_THAT(failures, SizeIs(1));
  EXPECT_THAT(failures[0], HasSubstr("another argosyd (other/7) has claimed"));
}

TEST_F(leading, a_control_plane_keeps_its_id) {
  const auto id = [this] { return recover_state()->position.control_plane; };
  start([](actors::root_config& with) { with.control_plane = "first"; });
  stop();
  EXPECT_EQ(id(), "first");
  start([](actors::root_config& with) { with.control_plane = "second"; });
  stop();
  EXPECT_EQ(id(), "first");
  database = std::make_shared<store::memory_database>();
  EXPECT_EQ(id(), "first") << "from the log alone";
}

TEST_F(leading, an_idle_leader_steps_over_what_is_no_batch) {
  start();
  for (int i = 0; i < 3; ++i) write_foreign();
  pass(5s);
  EXPECT_THAT(failures, IsEmpty());
  create_queue("a");
  EXPECT_EQ(log->last_position()->value, 5U);
}

TEST_F(leading, an_idle_leader_steps_over_a_forged_claim) {
  start();
  claim_as_other(nullptr);
  claim_as_other(test_key("another key"));
  pass(5s);
  EXPECT_THAT(failures, IsEmpty());
  create_queue("a");
  EXPECT_EQ(log->last_position()->value, 4U);
  crash();
  const auto again = recover_state();
  ASSERT_TRUE(again) << again.error().detail;
  EXPECT_EQ(again->position.epoch.value, epoch);
}

TEST_F(leading, an_idle_leader_steps_over_a_batch_that_somebody_repeats) {
  start();
  create_queue("a");
  for (model::log_position position{1}; position.value <= 2; ++position)
    ASSERT_TRUE(log->append(*log->last_position(), "again" + to_string(position),
                            log->get(position)->data));
  pass(5s);
  EXPECT_THAT(failures, IsEmpty());
  create_queue("b");
}

TEST_F(leading, a_batch_goes_behind_what_is_no_batch) {
  start();
  write_foreign();
  create_queue("a");
  write_foreign();
  write_foreign();
  submit("a", {.count = 3});
  EXPECT_THAT(failures, IsEmpty());
  crash();
  ASSERT_TRUE(recover_state());
  EXPECT_EQ(recover_state()->live_jobs, 3U);
  database = std::make_shared<store::memory_database>();
  const auto from_log = recover_state();
  ASSERT_TRUE(from_log) << from_log.error().detail;
  EXPECT_EQ(from_log->live_jobs, 3U);
  EXPECT_EQ(from_log->foreign_records, 3U);
}

TEST_F(leading, a_leader_stands_down_for_a_batch_that_it_cannot_read) {
  start();
  const auto end = log->info()->last_position;
  model::log_batch batch;
  batch.epoch = {epoch + 1};
  auto bytes = codec::encode_batch(batch);
  ++bytes[1];  // The first field of a batch is its format.
  log_key->sign(bytes);
  ASSERT_TRUE(log->append(end, "newer", bytes));
  pass(5s);
  ASSERT_THAT(failures, SizeIs(1));
  EXPECT_THAT(failures[0], HasSubstr("cannot be read: a log batch has format"));
}

TEST_F(leading, a_leader_that_cannot_see_the_log_goes_on) {
  start();
  log->set_broken(error{ec::unreachable, "no link"});
  pass(10s);
  EXPECT_THAT(failures, IsEmpty());
  log->set_broken({});
  create_queue("a");
}

TEST_F(leading, of_two_that_claim_at_once_exactly_one_leads) {
  // The second process has recovered before the first one claims the lead.
  auto late = recover_state();
  ASSERT_TRUE(late);
  auto other_database = std::make_shared<store::memory_database>();
  start();
  EXPECT_EQ(epoch, 1U);
  // This is a process of its own.
  deterministic_config other_config;
  caf::actor_system other_system{other_config};
  auto& other_scheduler = dynamic_cast<caf::scheduler::test_coordinator&>(other_system.scheduler());
  std::uint64_t other_epoch = 0;
  std::vector<std::string> other_failures;
  std::vector<ledger::leader_standing> rivals;
  actors::root_config with;
  with.recovered = std::move(*late);
  with.database = other_database;
  with.log = log;
  with.log_key = log_key;
  with.clock = &clock;
  with.scheduling = std::make_shared<const scheduling::config>(scheduling::default_config());
  with.holder = "test";  // Two machines, or two containers, may have the same name.
  with.claim_nonce = {1'000};
  with.blocking_on = actors::run_on::pool;
  with.on_ready = [&](model::epoch granted) { other_epoch = granted.value; };
  with.on_failure = [&](const std::string& why) { other_failures.push_back(why); };
  with.on_rival = [&](const ledger::leader_standing& who) { rivals.push_back(who); };
  actors::spawn_root(other_system, std::move(with));
  while (other_scheduler.try_run_once()) settle();
  EXPECT_EQ(other_system.registry().running(), 0U);
  EXPECT_EQ(other_epoch, 0U);
  EXPECT_THAT(other_failures,
              ElementsAre(HasSubstr("another argosyd (test) has claimed the lead with epoch 1")));
  ASSERT_THAT(rivals, SizeIs(1));
  EXPECT_EQ(rivals[0].holder, "test");
  EXPECT_EQ(rivals[0].epoch.value, 1U);
  EXPECT_GT(rivals[0].position.value, 0U);
  pass(5s);
  EXPECT_THAT(failures, IsEmpty());
  create_queue("a");
}

}  // namespace

}  // namespace argosy::tests
