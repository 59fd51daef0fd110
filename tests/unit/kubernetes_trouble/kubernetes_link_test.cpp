// SPDX-License-Identifier: Apache-2.0
// Goal: a link to the API server that is cut, for however long and whenever, ends no run that goes
// on: no wait goes on meanwhile, a pod is looked at before it is ended, and what was not made goes
// elsewhere.
// Method: an API server in memory whose link is cut and mended in virtual time; all orders of what
// can happen to one pod and its link, as far as they are short.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "tests/unit/kubernetes_trouble/link_fixture.hpp"

namespace argosy::backends {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* unplaced = R"({"phase":"Pending","conditions":[{"type":"PodScheduled",
    "status":"False","reason":"Unschedulable","message":"0/1 nodes are available"}]})";

TEST_F(kubernetes_link, that_is_cut_stops_the_wait_for_a_place) {
  open();
  const auto run = start(1);
  set_status(run, unplaced);
  pass_slowly(4min);
  for (const bool noticed : {true, false}) {
    cut(noticed);
    pass_slowly(20min);
    mend();
    EXPECT_FALSE(is_deleted(run));
  }
  pass_slowly(40s);
  EXPECT_FALSE(is_deleted(run)) << "it has waited for less than five minutes";
  pass_slowly(1min);
  EXPECT_TRUE(is_deleted(run));
}

TEST_F(kubernetes_link, that_is_cut_leaves_a_pod_alone_that_was_placed_meanwhile) {
  open();
  const auto run = start(1);
  set_status(run, unplaced);
  cut();
  pass_slowly(1min);
  kube->set_status(at(run), json::parse(running));
  pass_slowly(20min);
  mend();
  pass_slowly(20min);
  EXPECT_FALSE(is_deleted(run));
  set_status(run, succeeded);
  EXPECT_THAT(take_phases(),
              ElementsAre(run_phase::pending, run_phase::running, run_phase::succeeded));
}

TEST_F(kubernetes_link, whose_watch_is_silent_alone_ends_nothing_that_the_server_knows_better) {
  open();
  const auto run = start(1);
  set_status(run, unplaced);
  kube->cut = true;
  kube->set_status(at(run), json::parse(running));
  kube->cut = false;
  pass_slowly(20min);
  EXPECT_FALSE(is_deleted(run)) << "no watch has told it, and it was asked for";
}

TEST_F(kubernetes_link, of_the_pods_alone_stops_their_waits_as_well) {
  open();
  const auto run = start(1);
  set_status(run, unplaced);
  kube->interrupt("/pods?");
  pass_slowly(20min);
  EXPECT_FALSE(is_deleted(run));
  EXPECT_EQ(kube->count("DELETE"), 0U);
  kube->answer_again();
  pass_slowly(6min);
  EXPECT_TRUE(is_deleted(run));
}

TEST_F(kubernetes_link, a_pod_that_changes_as_it_is_given_back_goes_on) {
  open();
  const auto run = start(1);
  set_status(run, unplaced);
  kube->faults.push_back({"DELETE", kube::answer{409, R"({"message":"modified"})"}, false});
  kube->faults.push_front({"GET", kube::answer{200, kube->pods.at(at(run)).dump()}, false});
  pass(290s);
  kube->cut = true;
  kube->set_status(at(run), json::parse(running));
  kube->cut = false;
  pass_slowly(20s);
  EXPECT_FALSE(is_deleted(run)) << "it was placed between the look and the order";
  EXPECT_EQ(take_phases().back(), run_phase::running);
}

TEST_F(kubernetes_link, a_run_that_begins_as_it_is_given_back_is_lost_and_has_not_failed) {
  open();
  const auto run = start(1);
  set_status(run, unplaced);
  pass_slowly(301s);
  ASSERT_TRUE(is_deleted(run));
  set_status(run, R"({"phase":"Failed","containerStatuses":[{"name":"main","state":{"terminated":{
    "exitCode":137}}}]})");
  kube->remove(at(run));
  backend->advance();
  EXPECT_EQ(take_phases().back(), run_phase::failed);
  EXPECT_EQ(last.outcome.reason, reason::lost) << "it is begun anew";
}

TEST_F(kubernetes_link, that_is_cut_is_told_of_and_what_was_not_made_is_given_back) {
  int told = 0;
  open();
  backend->on_nodes_changed([&] { ++told; });
  const auto there = start(1);
  set_status(there, running);
  take_phases();
  EXPECT_EQ(backend->trouble().why, "");
  cut();
  const auto not_made = start(2);
  EXPECT_THAT(take_phases(), IsEmpty()) << "it may answer in a moment";
  pass_slowly(10s);
  EXPECT_EQ(told, 1);
  EXPECT_EQ(backend->trouble().why, "the API server https://fake:6443 does not answer (no route)");
  EXPECT_EQ(backend->trouble().since_ns, to_nanos(clock.wall()) - 10'000'000'000);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::refused));
  EXPECT_EQ(last.outcome.reason, model::reason_cluster_refused);
  EXPECT_THAT(notes, ::testing::Contains(HasSubstr("does not answer (no route). Nobody knows")));
  notes.clear();
  start(3);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::refused)) << "at once";
  mend();
  EXPECT_EQ(told, 2);
  EXPECT_EQ(backend->trouble().why, "");
  take_phases();
  EXPECT_THAT(notes, ElementsAre(HasSubstr("answers again")));
  EXPECT_FALSE(is_deleted(there));
  EXPECT_TRUE(is_deleted(not_made)) << "it was never made";
}

TEST_F(kubernetes_link, what_may_have_been_made_is_looked_up_when_the_link_is_back) {
  open();
  kube->faults.push_back({"POST", fail(ec::timeout, "no answer"), true});
  kube->cut_in_midst = true;
  const auto followers = std::exchange(kube->followers, {});
  const auto run = start(1);
  kube->followers = followers;
  cut();
  pass_slowly(1h);
  EXPECT_THAT(take_phases(), IsEmpty());
  kube->cut = true;
  kube->set_status(at(run), json::parse(running));
  mend();
  EXPECT_EQ(take_phases().back(), run_phase::running);
  EXPECT_FALSE(is_deleted(run));
}

TEST_F(kubernetes_link, to_the_control_plane_alone_ends_no_pod_and_makes_none) {
  open();
  const auto run = start(1);
  set_status(run, running);
  renew(10s);
  pass_slowly(1h);
  EXPECT_FALSE(is_deleted(run)) << "nobody begins its job elsewhere";
  const auto late = start(2);
  EXPECT_FALSE(kube->pods.contains(at(late))) << "a successor counts on it";
  renew(10min);
  pass_slowly(30s);
  EXPECT_TRUE(kube->pods.contains(at(late)));
}

/// One order of events, of which each is something that happens to the pod or its link.
struct played_order : kubernetes_link {
  void TestBody() override {}

  bool may(char what) const {
    if (what == 'c') return !kube->cut;
    if (what == 'm') return kube->cut;
    if (what == 'r') return !began && kube->pods.contains(at(run));
    if (what == 'e') return began && !ended && kube->pods.contains(at(run));
    return true;
  }
  void happen(char what) {
    if (what == 'c') cut(noticed);
    if (what == 'm') mend();
    if (what == 'r') {
      began = true;
      began_deleted = is_deleted(run);
      kube->set_status(at(run), json::parse(running));
    }
    if (what == 'e') {
      ended = true;
      kube->set_status(at(run), json::parse(succeeded));
    }
    if (what == 'w') {
      if (!began && !kube->cut) ++waits;
      pass_slowly(4min, 20s);
    }
    backend->advance();
  }
  /// Returns how much of the order can be: all, or what comes before the first event that cannot.
  std::size_t play(const std::string& order) {
    open();
    run = start(1);
    set_status(run, unplaced);
    for (std::size_t at_event = 0; at_event < order.size(); ++at_event) {
      if (!may(order[at_event])) return at_event;
      happen(order[at_event]);
      // Whoever began and was not ended by anybody's order is not touched.
      if (began && !began_deleted && kube->pods.contains(at(run))) EXPECT_FALSE(is_deleted(run));
      if (began && !began_deleted) EXPECT_TRUE(kube->pods.contains(at(run)));
    }
    if (kube->cut) mend();
    pass_slowly(1min, 5s);
    return order.size();
  }

  bool noticed = true;
  bool began = false;
  bool began_deleted = false;  ///< It was being given back when it began.
  bool ended = false;
  std::size_t waits = 0;  ///< How often it waited for four of the five minutes that it may.
  model::run_key run;
};

TEST(kubernetes_link_orders, end_as_the_pod_did) {
  std::size_t played = 0;
  const std::string events = "cmrew";
  constexpr std::size_t length = 5;
  std::size_t all = 1;
  for (std::size_t i = 0; i < length; ++i) all *= events.size();
  // Beginnings of orders that cannot be, by `noticed`: none of them is played again.
  std::array<std::set<std::string>, 2> impossible;
  for (std::size_t number = 0; number < all; ++number) {
    std::string order;
    for (auto rest = number; order.size() < length; rest /= events.size())
      order += events[rest % events.size()];
    // A third of the orders is played, in one of both ways, evenly over all events and their
    // places.
    const auto way = (number * 2'654'435'761U) >> 16;
    if (way % 3 != 0) continue;
    const bool noticed = way / 3 % 2 != 0;
    const auto begins = [&](const std::string& with) { return order.starts_with(with); };
    if (std::ranges::any_of(impossible[noticed], begins)) continue;
    played_order one;
    one.noticed = noticed;
    if (const auto can_be = one.play(order); can_be < length) {
      impossible[noticed].insert(order.substr(0, can_be + 1));
      continue;
    }
    ++played;
    SCOPED_TRACE(order + (noticed ? " noticed" : ""));
    const auto phases = one.take_phases();
    ASSERT_FALSE(phases.empty());
    EXPECT_EQ(std::ranges::count(phases, run_phase::failed), 0);
    if (one.waits < 2) EXPECT_NE(phases.back(), run_phase::refused);
    if (one.ended) EXPECT_EQ(phases.back(), run_phase::succeeded);
    if (one.began && !one.ended && !one.began_deleted) EXPECT_EQ(phases.back(), run_phase::running);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(played, 45U);
}

}  // namespace
}  // namespace argosy::backends
