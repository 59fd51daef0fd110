// SPDX-License-Identifier: Apache-2.0
// Goal: a start is settled exactly when its first cycle is over, with its rounds on record, or when
// the record of a request is durable; in safe mode jobs are cancelled but neither accepted nor
// started. Method: a control plane in virtual time whose load is looked at.
#include <gmock/gmock.h>

#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

struct safe_mode : control_plane_test {
  void begin(bool safe, const std::function<void(actors::root_config&)>& change = {}) {
    load = std::make_shared<eventlog::log_load>(1'000'000);
    start([&](actors::root_config& with) {
      with.load = load;
      with.safe_mode = safe;
      if (change) change(with);
    });
  }
  /// Makes a queue, a node, and a job that is too large for it, and starts anew after a crash.
  std::string begin_with_job(bool safe, const std::function<void(actors::root_config&)>& change) {
    begin(false);
    create_queue("a");
    add_agent("c", {node_of("n", 1)});
    const auto ids = submit("a", {.cpu = "2"});
    pass(1s);
    crash();
    begin(safe, change);
    pass();
    EXPECT_FALSE(load->settled()) << "the agent is not back yet";
    reconnect_agents();
    return ids.empty() ? "" : ids.front();
  }

  std::shared_ptr<eventlog::log_load> load;
};

TEST_F(safe_mode, is_not_due_once_a_period_passed_without_changes) {
  begin(false);
  EXPECT_FALSE(load->settled());
  pass(2s);
  EXPECT_TRUE(load->settled());
}

TEST_F(safe_mode, is_not_due_once_the_first_round_is_on_record) {
  bool decided = false;
  begin_with_job(false, [&](actors::root_config& with) {
    with.rounds.decide = [&](const native::round_request& request) {
      EXPECT_FALSE(load->settled()) << "this round may crash the process";
      log->set_broken(error{ec::unreachable, "no server"});
      decided = true;
      return scheduling::schedule(*request.snapshot, *request.config, request.params);
    };
  });
  pass(1s);
  ASSERT_TRUE(decided);
  EXPECT_FALSE(load->settled()) << "the round is not durable";
  log->set_broken({});
  pass(5s);
  EXPECT_TRUE(load->settled());
}

TEST_F(safe_mode, cancels_but_neither_accepts_nor_starts) {
  const auto id = begin_with_job(true, {});
  pass(5s);
  EXPECT_EQ(job(id).state(), api::QUEUED);
  EXPECT_FALSE(load->settled()) << "no cycle comes to its end";
  const auto refused = call("Submit.SubmitJobs", make_submit("a"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::out_of_space);
  EXPECT_THAT(refused.error().detail, HasSubstr("--leave-safe-mode"));
  api::JobCancelRequest cancel;
  cancel.set_queue("a");
  cancel.set_job_set_id("set");
  cancel.add_job_ids(id);
  ASSERT_TRUE(call("Submit.CancelJobs", cancel));
  EXPECT_EQ(job(id).state(), api::CANCELLED);
  EXPECT_TRUE(load->settled()) << "the record of the request is durable";
}

}  // namespace argosy::tests
