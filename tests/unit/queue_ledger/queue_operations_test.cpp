// SPDX-License-Identifier: Apache-2.0
// Goal: the next leader goes on with a change of very many jobs, with those jobs alone that it has
// not reached and that were there when it began. Method: a queue_core that is told of operations.
#include <gmock/gmock.h>

#include "runtime/ledger/queue/queue_operations.hpp"
#include "tests/unit/queue_ledger/queue_fixture.hpp"

namespace argosy::ledger {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class queue_operations : public ::testing::Test {
 protected:
  void SetUp() override {
    for (std::uint64_t i = 1; i <= 4; ++i) submit(i);
  }
  void submit(std::uint64_t number) {
    auto job = job_named(number, number == 4 ? "other" : "set-1");
    job.submitted_ns = queue.now;
    ASSERT_TRUE(queue.submit({job}));
  }
  /// A change of all jobs of the queue that begins now.
  model::operation change(model::operation_kind kind, const std::string& job_set = {}) {
    job_selection which;
    which.whole = true;
    which.job_set = job_set;
    which.queued = kind != model::operation_kind::preempt;
    model::operation out;
    out.id = job_id(99);
    out.kind = kind;
    out.queue = "q";
    out.by = "bob";
    out.begun_ns = ++queue.now;
    describe(which, out);
    tell(out);
    return out;
  }
  void tell(const model::operation& now) {
    queue.changes = queue.core.apply({queue.now, "q", model::operation_changed{now}});
  }

  queue_driver queue;
};

TEST_F(queue_operations, are_known_while_they_go_on_and_are_stored) {
  auto cancel = change(model::operation_kind::cancel);
  ASSERT_EQ(queue.core.operations().size(), 1u);
  ASSERT_EQ(queue.changes.size(), 1u);
  EXPECT_EQ(std::get<put_operation>(queue.changes[0]).operation, cancel);
  queue_core next{"q"};
  next.restore(cancel);
  EXPECT_FALSE(next.is_over());
  cancel.state = model::operation_state::done;
  tell(cancel);
  EXPECT_THAT(queue.core.operations(), IsEmpty());
  EXPECT_EQ(queue.core.illegal_events(), 0u);
  tell(model::operation{});
  EXPECT_EQ(queue.core.illegal_events(), 1u) << "it is not of this queue";
}

TEST_F(queue_operations, that_cancel_go_on_with_jobs_that_were_there) {
  const auto all = change(model::operation_kind::cancel);
  ASSERT_TRUE(queue.cancel({2}));
  submit(5);
  EXPECT_THAT(queue.core.jobs_left(all), ElementsAre(job_id(1), job_id(3), job_id(4)));
  const auto set = change(model::operation_kind::cancel, "other");
  EXPECT_THAT(queue.core.jobs_left(set), ElementsAre(job_id(4)));
}

TEST_F(queue_operations, that_preempt_leave_runs_alone_which_began_later) {
  ASSERT_TRUE(queue.lease({1, 2}));
  const auto all = change(model::operation_kind::preempt);
  ASSERT_TRUE(queue.lease({3}));
  job_selection one;
  one.ids = {job_id(2)};
  ASSERT_TRUE(queue.run(queue.core.preempt(one, "bob", "room", ++queue.now)));
  EXPECT_THAT(queue.core.jobs_left(all), ElementsAre(job_id(1)));
}

TEST_F(queue_operations, that_reprioritise_or_hold_skip_what_is_so_already) {
  auto moved = change(model::operation_kind::reprioritize);
  moved.jobs.priority = 5;
  job_selection one;
  one.ids = {job_id(2)};
  ASSERT_TRUE(queue.run(queue.core.reprioritize(one, 5, "bob", ++queue.now)));
  EXPECT_THAT(queue.core.jobs_left(moved), ElementsAre(job_id(1), job_id(3), job_id(4)));
  const auto held = change(model::operation_kind::hold);
  ASSERT_TRUE(queue.run(queue.core.hold(one, true, "bob", "", ++queue.now)));
  EXPECT_THAT(queue.core.jobs_left(held), ElementsAre(job_id(1), job_id(3), job_id(4)));
  const auto released = change(model::operation_kind::release);
  EXPECT_THAT(queue.core.jobs_left(released), UnorderedElementsAre(job_id(2)));
}

TEST_F(queue_operations, say_which_jobs_are_meant) {
  job_selection which;
  which.job_set = "s";
  which.queued = which.pending = false;
  which.classes = {"high"};
  which.pools = {"gpu"};
  which.cluster = "c";
  which.node = "n";
  which.with_gangs = true;
  model::operation out;
  describe(which, out);
  const auto back = selection_of(out);
  EXPECT_TRUE(back.whole);
  EXPECT_EQ(back.job_set, "s");
  EXPECT_FALSE(back.queued);
  EXPECT_TRUE(back.leased);
  EXPECT_FALSE(back.pending);
  EXPECT_TRUE(back.running);
  EXPECT_EQ(back.classes, which.classes);
  EXPECT_EQ(back.pools, which.pools);
  EXPECT_EQ(back.cluster, "c");
  EXPECT_EQ(back.node, "n");
  EXPECT_TRUE(back.with_gangs);
}

}  // namespace argosy::ledger
