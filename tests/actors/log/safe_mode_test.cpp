// SPDX-License-Identifier: Apache-2.0
// Goal: in safe mode jobs are cancelled but neither accepted nor started; a job that does harm ends
// before the first round of a start, and the others go on. Method: a control plane in virtual time.
#include <gmock/gmock.h>

#include <stdexcept>

#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

struct safe_mode : control_plane_test {
  /// Makes a queue, a node, and a job that is too large for it, and starts anew after a crash.
  std::string begin_with_job(const std::function<void(actors::root_config&)>& change) {
    start();
    create_queue("a");
    add_agent("c", {node_of("n", 1)});
    const auto ids = submit("a", {.cpu = "2"});
    pass(1s);
    crash();
    if (ids.empty()) return {};
    start([&](actors::root_config& with) {
      with.set_aside = ledger::harmful_job{parse_ulid(ids.front()).value(), "it does harm"};
      change(with);
    });
    pass();
    reconnect_agents();
    return ids.front();
  }
};

TEST_F(safe_mode, cancels_but_neither_accepts_nor_starts) {
  const auto id = begin_with_job([](actors::root_config& with) {
    with.safe_mode = true;
    with.set_aside.reset();
  });
  pass(5s);
  EXPECT_EQ(job(id).state(), api::QUEUED);
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
}

TEST_F(safe_mode, is_not_needed_without_the_job_that_does_harm) {
  std::string seen;
  const auto id = begin_with_job([&](actors::root_config& with) {
    with.rounds.decide = [&](const native::round_request& request) {
      seen += std::to_string(request.snapshot->queued_count());
      return scheduling::schedule(*request.snapshot, *request.config, request.params);
    };
  });
  pass(1s);
  EXPECT_EQ(job(id).state(), api::REJECTED);
  EXPECT_THAT(job(id).reason(), HasSubstr("it does harm"));
  const auto more = submit("a");
  ASSERT_EQ(more.size(), 1u);
  pass(1s);
  EXPECT_THAT(seen, ::testing::MatchesRegex("1.*")) << "no round has seen the other job";
  crash();
  start();
  EXPECT_EQ(job(id).state(), api::REJECTED);
}

TEST_F(safe_mode, hears_of_an_exception_in_an_actor_as_of_a_crash) {
  int crashes = 0;
  bool wrong = false;
  start([&](actors::root_config& with) {
    with.on_crash = [&] { ++crashes; };
    with.mark_clock = [&]() -> clock_mark {
      if (wrong) throw std::runtime_error{"an error of the program"};
      return {};
    };
  });
  create_queue("a");
  wrong = true;
  (void)call("Submit.SubmitJobs", make_submit("a"));
  pass(1s);
  EXPECT_EQ(crashes, 1);
  EXPECT_EQ(failures.size(), 1u);
}

}  // namespace argosy::tests
