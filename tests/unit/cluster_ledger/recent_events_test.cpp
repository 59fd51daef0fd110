// SPDX-License-Identifier: Apache-2.0
// Goal: what happened to a cluster and its nodes is told as sentences, the newest first, bounded,
// and without a node that fails many runs displacing the rest. Method: the events of a core as its
// actor hands them on.
#include "runtime/ledger/cluster/recent_events.hpp"

#include <gmock/gmock.h>

#include "tests/unit/cluster_ledger/cluster_fixture.hpp"

namespace argosy::ledger {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

constexpr std::int64_t second = 1'000'000'000;

class recent : public ::testing::Test {
 protected:
  /// The event happens now, a second after the one before.
  void happen(model::event_payload payload) {
    model::event event{now_ns += second, {}, std::move(payload)};
    events.take(event, core);
    static_cast<void>(core.apply(event));
  }
  void run_ends(std::uint64_t number, run_verdict verdict, const model::node_name& node = "n1") {
    events.take(unbind_run{node, run_of(number), verdict}, now_ns += second);
  }
  [[nodiscard]] std::vector<std::string> told(const model::node_name& node = {}) const {
    std::vector<std::string> out;
    for (const auto& event : events.list(node, 1'000))
      out.push_back((event.node.empty() ? "" : event.node + ": ") + to_sentence(event));
    return out;
  }
  void join() {
    happen(model::cluster_joined{{"c", "gpu", "process", {7}}});
    happen(model::nodes_changed{"c", {node_named("n1"), node_named("n2")}, {}});
  }
  [[nodiscard]] model::operation drain_of(const model::node_name& node) const {
    model::operation drain;
    drain.begun_ns = now_ns + second;
    drain.id = ulid_from_hash(1, 2, 3);
    drain.cluster = "c";
    drain.node = node;
    drain.by = "ann";
    drain.reason = "new disk";
    drain.total = 3;
    return drain;
  }

  std::int64_t now_ns = 1'000 * second;
  cluster_core core{"c"};
  recent_events events{core, now_ns};
};

TEST_F(recent, tells_who_did_what_and_when_the_newest_first) {
  join();
  happen(model::cordon_changed{"c", "n1", true, "bob", "its fan is loud"});
  auto drain = drain_of("n1");
  happen(model::operation_changed{drain});
  drain.done = 1;
  happen(model::operation_changed{drain});  // Progress is no news.
  drain.done = 3;
  drain.state = model::operation_state::done;
  happen(model::operation_changed{drain});
  happen(model::cordon_changed{"c", "n1", false, "carol", ""});
  events.take(contact_changed{contact_state::connected, contact_state::silent, 16s},
              now_ns += second);
  events.take(contact_changed{contact_state::silent, contact_state::connected, 40s},
              now_ns += second);
  events.take(trouble_changed{{}, {"no route", 5}}, now_ns += second);
  events.take(trouble_changed{{"no route", 5}, {}}, now_ns += second);
  happen(model::cluster_left{"c", "the machine is sold"});
  EXPECT_THAT(told(), ElementsAre("left: the machine is sold", "can begin runs again",
                                  "takes no new jobs: no route", "heard again after 40 s",
                                  "fell silent: not heard for 16 s", "n1: uncordoned by carol",
                                  "n1: drained: 3 runs have ended",
                                  "n1: a drain was begun by ann: new disk",
                                  "n1: cordoned by bob: its fan is loud", "n2: joined",
                                  "n1: joined", "joined, in pool gpu"));
  EXPECT_EQ(events.list("n2", 1'000).size(), 7U) << "its own and those of the whole cluster";
  EXPECT_EQ(events.list({}, 3).size(), 3U);
  EXPECT_EQ(events.since_ns(), 1'000 * second);
}

TEST_F(recent, begins_with_what_held_before) {
  join();
  happen(model::cordon_changed{"c", "", true, "bob", "maintenance"});
  happen(model::operation_changed{drain_of("n2")});
  const recent_events next{core, now_ns + 60 * second};
  const auto known = next.list({}, 1'000);
  ASSERT_EQ(known.size(), 2U);
  EXPECT_EQ(to_sentence(known[0]), "a drain was begun by ann: new disk");
  EXPECT_EQ(known[0].time_ns, now_ns);
  EXPECT_EQ(to_sentence(known[1]), "cordoned by bob: maintenance");
  EXPECT_EQ(known[1].time_ns, now_ns - second);
  EXPECT_EQ(next.since_ns(), now_ns + 60 * second);
}

TEST_F(recent, tells_a_quarantine_from_its_begin_to_its_end) {
  events.take("n1", {now_ns + 90 * second, 30 * second, "3 starts were refused"}, now_ns);
  events.take("n1", {}, now_ns + 90 * second);
  EXPECT_THAT(told("n1"), ElementsAre("n1: takes new jobs again after a quarantine",
                                      "n1: quarantined for 30 s: 3 starts were refused"));
  EXPECT_EQ(events.list("n1", 10)[1].time_ns, now_ns + 60 * second);
}

TEST_F(recent, leaves_out_that_a_released_node_leaves_and_comes_anew) {
  join();
  const auto before = told();
  const model::event gone{now_ns, {}, model::nodes_changed{"c", {}, {"n1"}}};
  const model::event anew{now_ns, {}, model::nodes_changed{"c", {node_named("n1")}, {}}};
  for (const auto& event : {gone, anew}) {
    events.take(event, core);
    static_cast<void>(core.apply(event));
  }
  EXPECT_EQ(told(), before);
}

TEST_F(recent, gathers_runs_of_a_node_that_end_alike) {
  run_ends(1, run_verdict::succeeded);
  run_ends(2, run_verdict::in_order);
  EXPECT_THAT(told(), IsEmpty());
  run_ends(3, run_verdict::failed);
  const auto job = to_string(run_of(3).job);
  EXPECT_THAT(told(), ElementsAre("n1: the command of a run failed: job " + job + ", run 1"));
  run_ends(4, run_verdict::lost);
  run_ends(5, run_verdict::failed);
  run_ends(6, run_verdict::failed, "n2");
  const auto last = to_string(run_of(5).job);
  EXPECT_THAT(
      told("n1"),
      ElementsAre("n1: 2 runs had commands that failed, the last of job " + last + ", run 1",
                  "n1: a run was lost: job " + to_string(run_of(4).job) + ", run 1"));
  now_ns += 700 * second;
  run_ends(7, run_verdict::failed);
  EXPECT_EQ(events.list("n1", 10).size(), 3U) << "after some time it is told anew";
}

TEST_F(recent, keeps_a_bounded_number_and_says_since_when) {
  join();
  for (std::uint64_t i = 0; i < 500; ++i)
    run_ends(i, run_verdict::failed, model::node_name{"n" + std::to_string(i)});
  EXPECT_EQ(events.list({}, 1'000).size(), recent_events::kept_max + 3);
  EXPECT_EQ(events.since_ns(), 1'302 * second) << "the last run that was dropped";
  std::vector<model::node_info> many;
  for (int i = 0; i < 50; ++i) many.push_back(node_named("m" + std::to_string(i)));
  happen(model::nodes_changed{"c", many, {}});
  EXPECT_EQ(told().front(), "50 nodes joined");
}

}  // namespace

}  // namespace argosy::ledger
