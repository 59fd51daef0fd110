// SPDX-License-Identifier: Apache-2.0
// Goal: an agent obeys one control plane, and of that only the process that leads; it can be made
// to leave it, and then carries nothing over.
// Method: an executor core that is given orders and answers of other leaders and control planes.
#include <gmock/gmock.h>

#include "tests/unit/executor/executor_fixture.hpp"

namespace argosy::ledger {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class executor_allegiance : public executor_fixture {
 protected:
  void say_hello() {
    now += 60s;
    take(core->tick(now));
    ASSERT_EQ(take_sent<send_hello>().size(), 1u);
  }
  static model::hello_ack answer_of(std::string control_plane, std::uint64_t epoch,
                                    std::uint64_t nonce) {
    model::hello_ack ack{{epoch}, boot_time{10s}.count(), boot_time{2s}.count()};
    ack.nonce = {nonce};
    ack.control_plane = std::move(control_plane);
    return ack;
  }
  void join(std::string control_plane, std::uint64_t epoch = 5, std::uint64_t nonce = 11) {
    say_hello();
    take(core->hello_acknowledged(answer_of(std::move(control_plane), epoch, nonce), now));
  }
  ec answer_to_orders_of(std::string control_plane, std::uint64_t epoch, std::uint64_t nonce) {
    auto orders = to_me(epoch, {make_start(make_key(9))});
    orders.control_plane = std::move(control_plane);
    orders.nonce = {nonce};
    const auto step = core->orders(orders, 1, now);
    return step ? ec::none : step.error().code;
  }
};

TEST_F(executor_allegiance, is_to_the_first_control_plane_that_answers_also_after_a_restart) {
  join("ours");
  EXPECT_EQ(disk_facts.control_plane, "ours");
  EXPECT_EQ(answer_to_orders_of("theirs", 5, 11), ec::denied);
  restart();
  EXPECT_EQ(answer_to_orders_of("theirs", 9, 11), ec::denied);
  EXPECT_EQ(answer_to_orders_of("", 9, 11), ec::denied);
  EXPECT_EQ(core->run_count(), 0u);
  EXPECT_EQ(core->facts().epoch_seen.value, 5u);
  EXPECT_EQ(answer_to_orders_of("ours", 5, 11), ec::none);
}

TEST_F(executor_allegiance, takes_no_lease_from_another_control_plane) {
  join("ours");
  const auto lease = core->lease_deadline();
  join("theirs", 9);
  EXPECT_FALSE(core->connected());
  const auto told = take_sent<warn_of_leader>();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_THAT(told[0].why,
              HasSubstr("belongs to another control plane (ours, this one is theirs)"));
  join("ours");
  EXPECT_TRUE(core->connected());
  now += 2s;
  take(core->tick(now));
  model::heartbeat_ack beat{{9}, boot_time{500s}.count()};
  beat.control_plane = "theirs";
  take(core->heartbeat_acknowledged(beat, now));
  EXPECT_FALSE(core->connected());
  EXPECT_LT(core->lease_deadline(), lease + 300s);
  EXPECT_EQ(core->facts().epoch_seen.value, 5u);
}

TEST_F(executor_allegiance, of_two_claims_of_one_epoch_only_the_first_is_obeyed) {
  join("ours", 5, 11);
  EXPECT_EQ(answer_to_orders_of("ours", 5, 12), ec::fenced);
  restart();
  EXPECT_EQ(answer_to_orders_of("ours", 5, 12), ec::fenced);
  join("ours", 5, 12);
  EXPECT_FALSE(core->connected());
  EXPECT_EQ(answer_to_orders_of("ours", 6, 12), ec::none);
  EXPECT_EQ(core->facts().nonce_seen.value, 12u);
}

TEST_F(executor_allegiance, no_order_makes_it_depose_every_leader_to_come) {
  join("ours");
  EXPECT_EQ(answer_to_orders_of("ours", ~std::uint64_t{0}, 11), ec::denied);
  EXPECT_EQ(disk_facts.epoch_seen.value, 5u);
}

TEST_F(executor_allegiance, left_on_demand_ends_its_runs_first) {
  join("ours");
  auto orders = to_me(5, {make_start(make_key(1))});
  orders.control_plane = "ours";
  take(*core->orders(orders, 1, now));
  change(make_key(1), run_phase::running);
  EXPECT_GT(disk_reports.size(), 0u);
  config.join_control_plane = true;
  restart();
  take(core->adopted({}));
  const auto ended = take_sent<end_run>();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].order.run, make_key(1));
  take(core->tick(now += 60s));
  EXPECT_THAT(take_sent<send_hello>(), IsEmpty()) << "not before they have ended";
  EXPECT_EQ(disk_facts.control_plane, "ours") << "or it would take them along after a crash";
  change(make_key(1), run_phase::stopped);
  EXPECT_THAT(disk_reports, IsEmpty()) << "they say nothing to another control plane";
  EXPECT_THAT(disk_runs, IsEmpty());
  EXPECT_EQ(disk_facts.control_plane, "");
  EXPECT_EQ(disk_facts.epoch_seen.value, 0u);
  EXPECT_EQ(disk_facts.incarnation.value, 0u);
  take(core->tick(now));
  const auto hellos = take_sent<send_hello>();
  ASSERT_EQ(hellos.size(), 1u);
  EXPECT_EQ(hellos[0].hello.control_plane, "");
  EXPECT_THAT(hellos[0].hello.runs, IsEmpty());
}

}  // namespace argosy::ledger
