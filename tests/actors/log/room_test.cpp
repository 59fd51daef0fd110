// SPDX-License-Identifier: Apache-2.0
// Goal: the last room of a log or a store is kept for what was accepted: new commands are refused
// in time, and reports, cancellations and retention go on. Method: a control plane in virtual time
// over a log or a store in memory that holds little.
#include <gmock/gmock.h>

#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

/// A control plane whose store is small.
struct small_store : control_plane_test {
  static constexpr std::uint64_t limit = 200'000;
  small_store() { database = std::make_shared<store::memory_database>(limit); }

  std::uint64_t percent_used() const { return 100 * database->usage().value().used_bytes / limit; }
  /// Submits until that is refused for want of room, and returns the error. Until then the tail may
  /// be full as well, which passes.
  error fill() {
    while (true) {
      advance(1s);
      const auto done = call("Submit.SubmitJobs", make_submit("a"));
      if (!done && done.error().code != ec::overloaded) return done.error();
    }
  }
};

TEST_F(small_store, keeps_its_last_room_for_what_was_accepted) {
  start([](actors::root_config& with) {
    with.retention.events = 60s;
    with.retention.jobs = 120s;
  });
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 2)});
  const auto first = submit("a").at(0);
  pass();
  const auto refused = fill();
  EXPECT_EQ(refused.code, ec::out_of_space);
  EXPECT_THAT(refused.detail, HasSubstr("store.mapSize"));
  EXPECT_GE(percent_used(), 60U) << "a quarter is kept for copies of pages";
  EXPECT_LT(percent_used(), 75U);
  ASSERT_TRUE(failures.empty());

  agent.end(first, run_phase::succeeded);
  pass(2s);
  EXPECT_EQ(job(first).state(), api::SUCCEEDED) << "reports are taken";
  api::JobCancelRequest cancel;
  cancel.set_queue("a");
  cancel.set_job_set_id("set");
  const auto too_many = call("Submit.CancelJobs", cancel);
  ASSERT_FALSE(too_many) << "it would fill the store";
  EXPECT_THAT(too_many.error().detail, HasSubstr("change less at once"));
  for (int i = 0; i < 5; ++i)
    cancel.add_job_ids(jobs("a").at(static_cast<std::size_t>(i)).job_id());
  EXPECT_TRUE(call("Submit.CancelJobs", cancel)) << "a few are cancelled";
  EXPECT_EQ(call("Submit.SubmitJobs", make_submit("a")).error().code, ec::out_of_space);
  pass(720s);
  EXPECT_LT(percent_used(), 64U) << "the tail is cut and what has ended expires";
  EXPECT_TRUE(call("Submit.SubmitJobs", make_submit("a")));
  EXPECT_TRUE(failures.empty());
}

/// A control plane whose store lies on a disk of 1,000 MB, or is kept from using room again.
struct store_on_a_disk : control_plane_test {
  static constexpr std::uint64_t mb = 1'000'000;
  store_on_a_disk() { database = memory; }

  std::shared_ptr<store::memory_database> memory =
      std::make_shared<store::memory_database>(1'000 * mb);
};

TEST_F(store_on_a_disk, refuses_what_is_new_while_the_disk_is_nearly_full) {
  memory->set_room(900 * mb, 1'000 * mb);
  start();
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 2)});
  const auto first = submit("a").at(0);
  const auto waiting = submit("a").at(0);
  pass();
  memory->set_room(100 * mb, 1'000 * mb);
  agent.end(first, run_phase::succeeded);
  pass(2s);
  EXPECT_EQ(job(first).state(), api::SUCCEEDED) << "reports are taken";
  const auto refused = call("Submit.SubmitJobs", make_submit("a"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::out_of_space);
  EXPECT_THAT(refused.error().detail, HasSubstr("the disk"));
  api::JobCancelRequest cancel;
  cancel.set_queue("a");
  cancel.set_job_set_id("set");
  cancel.add_job_ids(waiting);
  EXPECT_TRUE(call("Submit.CancelJobs", cancel));
  memory->set_room(900 * mb, 1'000 * mb);
  pass(2s);
  EXPECT_TRUE(call("Submit.SubmitJobs", make_submit("a"))) << "it goes on by itself";
  EXPECT_TRUE(failures.empty());
}

/// What is cancelled makes room, so that the last of it is for that.
TEST_F(store_on_a_disk, cancels_on_a_full_disk_as_long_as_anything_is_kept_for_the_store) {
  start();
  create_queue("a");
  const auto ids = submit("a", {.count = 3});
  memory->set_room(0, 1'000 * mb, 0, 16 * mb);
  pass(2s);
  api::JobCancelRequest cancel;
  cancel.set_queue("a");
  cancel.set_job_set_id("set");
  cancel.add_job_ids(ids[0]);
  EXPECT_TRUE(call("Submit.CancelJobs", cancel));
  EXPECT_EQ(job(ids[0]).state(), api::CANCELLED);
  EXPECT_EQ(call("Submit.SubmitJobs", make_submit("a")).error().code, ec::out_of_space);
  memory->set_room(0, 1'000 * mb, 0, 0);
  pass(2s);
  *cancel.mutable_job_ids(0) = ids[1];
  const auto refused = call("Submit.CancelJobs", cancel);
  ASSERT_FALSE(refused) << "it could not be written";
  EXPECT_THAT(refused.error().detail, HasSubstr("make room on it"));
  memory->set_room(1 * mb, 1'000 * mb);
  pass(2s);
  EXPECT_TRUE(call("Submit.CancelJobs", cancel)) << "a thousandth is free";
  EXPECT_TRUE(failures.empty());
}

TEST_F(store_on_a_disk, counts_what_a_reader_keeps_from_being_used_again) {
  start();
  create_queue("a");
  submit("a");
  memory->set_room(0, 0, 900 * mb);
  pass(2s);
  submit("a");
  const auto refused = call("Submit.SubmitJobs", make_submit("a"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().detail, HasSubstr("A reader of the store keeps 900000000 bytes"));
  memory->set_room(0, 0, 0);
  pass(120s);
  EXPECT_TRUE(call("Submit.SubmitJobs", make_submit("a")));
}

TEST_F(store_on_a_disk, leaves_open_what_was_accepted_when_a_write_fails) {
  start();
  create_queue("a");
  memory->fail_next_commit({ec::out_of_space, "the disk is full"});
  const auto done = call("Submit.SubmitJobs", make_submit("a"));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ec::timeout) << "the log may have it, so that it is no refusal";
  EXPECT_THAT(done.error().detail, HasSubstr("it is not known whether this was accepted"));
  EXPECT_FALSE(failures.empty());
}

/// A control plane whose log is small.
struct small_log : control_plane_test {
  small_log() {
    log = std::make_shared<eventlog::memory_log>(
        clock, eventlog::memory_log_options{.max_bytes = 300'000, .never_wait = true});
  }
};

TEST_F(small_log, keeps_its_last_room_for_what_was_accepted) {
  start();
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 1)});
  const auto first = submit("a").at(0);
  pass();
  result<std::string> done;
  for (int i = 0; done; ++i) {
    ASSERT_LT(i, 10'000);
    done = call("Submit.SubmitJobs", make_submit("a", {.count = 10}));
  }
  EXPECT_EQ(done.error().code, ec::out_of_space);
  EXPECT_THAT(done.error().detail, HasSubstr("journal.logBytesMax"));
  agent.end(first, run_phase::succeeded);
  pass(2s);
  EXPECT_EQ(job(first).state(), api::SUCCEEDED);
  EXPECT_TRUE(failures.empty());
}

}  // namespace argosy::tests
