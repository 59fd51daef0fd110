// SPDX-License-Identifier: Apache-2.0
// Goal: an agent goes on with runs that another replica has left, and says that it names all runs
// only where it does.
// Method: an executor core without an incarnation that is given what its backend found.
#include <gmock/gmock.h>

#include "tests/unit/executor/executor_fixture.hpp"

namespace argosy::ledger {
namespace {

using ::testing::IsEmpty;

class executor_inheriting : public executor_fixture {
 protected:
  executor_inheriting() {
    config.acts_alone = true;
    begin();
  }
  void begin() {
    disk_facts = {};
    core = std::make_unique<executor_core>(model::cluster_info{"c", "default", "kubernetes", {}},
                                           nodes, config);
    core->restore(disk_facts);
  }
  static model::inherited_runs left(std::string control_plane, bool whole) {
    model::agent_run run;
    run.run = make_key(1);
    run.queue = "q";
    run.grace_seconds = 7;
    return {std::move(control_plane), {run}, whole};
  }
  model::agent_hello hello() {
    now += 60s;
    take(core->tick(now));
    const auto said = take_sent<send_hello>();
    EXPECT_EQ(said.size(), 1U);
    return said.empty() ? model::agent_hello{} : said[0].hello;
  }
  void answer(std::string control_plane) {
    model::hello_ack ack{{5}, boot_time{10s}.count(), boot_time{2s}.count()};
    ack.nonce = {11};
    ack.incarnation = {9};
    ack.control_plane = std::move(control_plane);
    take(core->hello_acknowledged(ack, now));
  }
};

TEST_F(executor_inheriting, tells_of_what_it_found_and_reports_its_end) {
  take(core->inherit(left("ours", true)));
  EXPECT_EQ(disk_runs.size(), 1U) << "it is on disk before anything is said";
  EXPECT_EQ(disk_facts.control_plane, "ours");
  EXPECT_EQ(core->open_runs().size(), 1U);
  take(core->adopted({make_event(make_key(1), run_phase::running)}));
  const auto first = hello();
  EXPECT_EQ(first.control_plane, "ours");
  EXPECT_EQ(first.cluster.incarnation.value, 0U);
  EXPECT_TRUE(first.all_runs);
  ASSERT_EQ(first.runs.size(), 1U);
  EXPECT_EQ(first.runs[0].phase, run_phase::running);
  answer("ours");
  EXPECT_EQ(take_sent<send_reports>().size(), 1U);
  acknowledge(1);
  change(make_key(1), run_phase::succeeded);
  ASSERT_EQ(take_sent<send_reports>().size(), 1U);
  EXPECT_EQ(disk_reports.size(), 1U);
}

TEST_F(executor_inheriting, keeps_where_the_pod_of_a_run_is) {
  answer("ours");
  auto order = make_start(make_key(1));
  order.name_space = "team";
  model::agent_orders orders{{5}, {order}, {}, 0, {9}, {11}, "ours"};
  const auto step = core->orders(orders, 1, now);
  ASSERT_TRUE(step);
  take(*step);
  EXPECT_EQ(disk_runs.at(make_key(1)).name_space, "team");
  EXPECT_FALSE(core->open_runs().at(0).began);
  auto event = make_event(make_key(1), run_phase::pending);
  take(core->changed({event}, now));
  event.pod.uid = "u1";
  take(core->changed({event}, now));
  EXPECT_EQ(disk_runs.at(make_key(1)).pod_uid, "u1") << "it was told with no change of the run";
  EXPECT_EQ(core->open_runs().at(0).pod_uid, "u1");
  EXPECT_TRUE(core->open_runs().at(0).began);
}

TEST_F(executor_inheriting, has_runs_looked_for_that_it_does_not_know) {
  ASSERT_TRUE(hello().finds);
  answer("ours");
  auto order = make_start(make_key(1));
  order.name_space = "team";
  order.node = "a node that is gone";
  model::agent_orders orders{{5}, {}, {}, 0, {9}, {11}, "ours"};
  orders.find = {order};
  for (int i = 0; i < 2; ++i) {
    const auto step = core->orders(orders, 1, now);
    ASSERT_TRUE(step);
    take(*step);
  }
  const auto sought = take_sent<launch_run>();
  ASSERT_EQ(sought.size(), 1U) << "it is known by then";
  EXPECT_TRUE(sought[0].find);
  EXPECT_TRUE(core->open_runs().at(0).began) << "nobody may say that it did not begin";
  EXPECT_EQ(hello().runs.size(), 1U);
  orders.hello_ns = 1;
  orders.find[0].run = make_key(2);
  take(*core->orders(orders, 1, now));
  EXPECT_TRUE(take_sent<launch_run>().empty()) << "the job may have another run by now";
}

TEST_F(executor_inheriting, alone_it_names_all_runs_once_the_lease_of_an_earlier_agent_is_over) {
  config.acts_alone = false;
  begin();
  take(core->inherit(left("ours", true)));
  EXPECT_FALSE(hello().all_runs);
  answer("ours");
  core->set_strangers(true);
  EXPECT_FALSE(hello().all_runs) << "the earlier one has begun something late";
  answer("ours");
  core->set_strangers(false);
  core->set_trouble({"the API server does not answer", 5});
  EXPECT_FALSE(hello().all_runs);
  answer("ours");
  core->set_trouble({});
  EXPECT_TRUE(hello().all_runs);
}

TEST_F(executor_inheriting, does_not_start_a_run_again_that_it_found) {
  take(core->inherit(left("ours", true)));
  take(core->adopted({make_event(make_key(1), run_phase::running)}));
  static_cast<void>(hello());
  answer("ours");
  sent.clear();
  auto orders = to_me(5, {make_start(make_key(1))});
  orders.control_plane = "ours";
  orders.nonce = {11};
  const auto step = core->orders(orders, 1, now);
  ASSERT_TRUE(step);
  take(*step);
  EXPECT_THAT(take_sent<launch_run>(), IsEmpty());
}

TEST_F(executor_inheriting, does_not_name_all_runs_if_some_could_not_be_read) {
  take(core->inherit(left("ours", false)));
  EXPECT_FALSE(hello().all_runs);
}

TEST_F(executor_inheriting, does_not_name_all_runs_if_others_can_act) {
  config.acts_alone = false;
  begin();
  take(core->inherit(left("ours", true)));
  EXPECT_FALSE(hello().all_runs);
}

TEST_F(executor_inheriting, names_all_runs_of_the_control_plane_of_which_it_found_them) {
  take(core->inherit({"", {}, true}));
  EXPECT_TRUE(hello().all_runs) << "there are no pods of anybody";
  config.join_control_plane = true;
  begin();
  take(core->inherit(left("ours", true)));
  take(core->adopted({make_event(make_key(1), run_phase::running)}));
  change(make_key(1), run_phase::stopped);
  const auto said = hello();
  EXPECT_EQ(said.control_plane, "") << "it has left the one whose run it found";
  EXPECT_FALSE(said.all_runs);
}

TEST_F(executor_inheriting, knows_what_it_inherited_after_a_restart) {
  take(core->inherit(left("ours", true)));
  restart();
  EXPECT_EQ(core->open_runs().size(), 1U);
}

TEST_F(executor_inheriting, lets_go_of_what_it_found_in_another_namespace_than_that_of_the_job) {
  for (const bool is_acknowledged : {false, true}) {
    disk_runs.clear();
    disk_reports.clear();
    begin();
    auto copy = left("ours", true);
    copy.runs[0].name_space = "another";
    take(core->inherit(copy));
    take(core->adopted({make_event(make_key(1), run_phase::succeeded)}));
    EXPECT_EQ(hello().runs.at(0).name_space, "another");
    answer("ours");
    const auto told = take_sent<send_reports>();
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].batch.reports.at(0).name_space, "another");
    if (is_acknowledged) acknowledge(1);
    auto order = make_start(make_key(1));
    order.name_space = "team";
    model::agent_orders orders{{5}, {}, {}, 0, {9}, {11}, "ours"};
    orders.find = {order};
    for (int i = 0; i < 2; ++i) take(*core->orders(orders, 1, now));
    if (!is_acknowledged) acknowledge(1);
    const auto sought = take_sent<launch_run>();
    ASSERT_EQ(sought.size(), 1U);
    EXPECT_EQ(disk_runs.at(make_key(1)).name_space, "team");
    change(make_key(1), run_phase::running);
    EXPECT_EQ(hello().runs.at(0).name_space, "team");
    now += 24h;
    take(core->tick(now));
    EXPECT_TRUE(disk_runs.contains(make_key(1))) << "that of the copy alone is forgotten";
  }
}

}  // namespace
}  // namespace argosy::ledger
