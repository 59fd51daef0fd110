// SPDX-License-Identifier: Apache-2.0
// Goal: whatever commands and reports come in whatever order, a queue keeps the rules of a job's
// life that the observer in history_observer.hpp checks, and replaying its events gives the same
// state and the same stored records. Method: random histories from fixed seeds; a failing one is
// shrunk by rapidcheck.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <sstream>

#include "runtime/base/random.hpp"
#include "tests/unit/queue_ledger/history_fixture.hpp"
#include "tests/unit/queue_ledger/history_observer.hpp"

namespace argosy::ledger {
namespace {

class histories : public ::testing::TestWithParam<lease_policy> {
 protected:
  queue_config config() const {
    queue_config out;
    out.on_lease_expiry = GetParam();
    out.live_jobs_max = 40;
    out.returns_max = 2;
    // Some jobs say that they end.
    out.requeue_preempted = true;
    return out;
  }
};

TEST_P(histories, short_ones_keep_the_invariants) {
  rc::detail::TestParams params;
  params.seed = 20240601;
  params.maxSuccess = 200;
  params.maxSize = 120;
  rc::detail::TestMetadata metadata;
  metadata.id = "queue_histories";
  const auto outcome = rc::detail::checkTestable(
      [&] {
        const auto commands = *rc::gen::arbitrary<std::vector<command>>();
        RC_ASSERT(play(commands, config()) == "");
      },
      metadata, params);
  std::ostringstream text;
  rc::detail::printResultMessage(outcome, text);
  EXPECT_TRUE(outcome.is<rc::detail::SuccessResult>()) << text.str();
}

TEST_P(histories, long_ones_keep_the_invariants) {
  counts() = {};
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    seeded_random random{seed};
    std::vector<command> commands(400);
    for (auto& item : commands) {
      const auto bits = random.next();
      item = {static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8),
              static_cast<std::uint8_t>(bits >> 16), static_cast<std::uint8_t>(bits >> 24)};
    }
    ASSERT_EQ(play(commands, config()), "") << "seed " << seed;
  }
  // Every event of a queue happened many times, so that the histories test something.
  for (const auto* name :
       {"job_submitted", "job_leased", "run_pending", "run_running", "run_succeeded", "run_failed",
        "lease_returned", "lease_expired", "job_cancelling", "job_cancelled", "run_preempting",
        "job_preempted", "job_rejected", "job_reprioritized", "job_held", "job_released",
        "queue_set"})
    EXPECT_GT(counts().events[name], GetParam() == lease_policy::fail ? 3U : 15U) << name;
  EXPECT_GT(counts().refused, 100U);
}

INSTANTIATE_TEST_SUITE_P(policies, histories,
                         ::testing::Values(lease_policy::requeue_after_lease,
                                           lease_policy::requeue_after_confirmation,
                                           lease_policy::fail));

TEST(history_observer, complains_about_broken_rules) {
  const auto header = std::make_shared<const model::job_header>([] {
    model::job_header out;
    out.id = ulid_from_hash(1, 0, 1);
    out.queue = "q";
    return out;
  }());
  const model::event e{1, "q", model::queue_deleted{}};
  const auto put = [&](model::job_state state, bool is_new) {
    model::job_record record;
    record.header = header;
    record.state = state;
    return change_list{put_job{record, is_new}};
  };
  observer after_end;
  after_end.see(e, put(model::job_state::queued, true));
  after_end.see(e, put(model::job_state::cancelled, false));
  EXPECT_EQ(after_end.complaint(), "");
  after_end.see(e, put(model::job_state::queued, false));
  EXPECT_NE(after_end.complaint(), "");
  observer no_run;
  no_run.see(e, put(model::job_state::queued, true));
  no_run.see(e, put(model::job_state::running, false));
  EXPECT_NE(no_run.complaint(), "");
}

}  // namespace
}  // namespace argosy::ledger
