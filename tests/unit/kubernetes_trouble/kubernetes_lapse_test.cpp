// SPDX-License-Identifier: Apache-2.0
// Goal: an agent ends the pods whose lease lapses when it has passed, within the kill grace, also
// those that it finds; a pod that had ended by itself says how; others go on, whatever the lease.
// Method: an API server in memory whose link is cut and mended in virtual time, and agents that
// come back; all orders of what can happen to one pod and both links, as far as they are short.
#include <gmock/gmock.h>
#include <unistd.h>

#include "runtime/backends/run/records.hpp"
#include "tests/unit/kubernetes_trouble/link_fixture.hpp"

namespace argosy::backends {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct kubernetes_lapse : kubernetes_link {
  kubernetes_lapse() { config.state_dir = folder; }
  ~kubernetes_lapse() override { std::filesystem::remove_all(folder); }

  std::string grace_of_last_delete() const {
    const auto path = kube->last("DELETE");
    return path.substr(path.find('=') + 1);
  }
  void let_go(const model::run_key& run) {
    kube->remove(at(run));
    backend->advance();
  }
  void expect_lapsed() {
    const auto phases = take_phases();
    ASSERT_FALSE(phases.empty());
    EXPECT_EQ(phases.back(), run_phase::stopped);
    EXPECT_EQ(std::ranges::count_if(phases, model::is_final), 1);
    EXPECT_EQ(last.outcome.reason, shim_status::lease_expired);
  }

  const std::filesystem::path folder =
      std::filesystem::path{::testing::TempDir()} /
      ("lapse-" + std::to_string(::getpid()) + "-" +
       ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(kubernetes_lapse, ends_pods_at_the_end_of_the_lease_and_not_before) {
  open();
  renew(1min);
  const auto run = start_lapsing(1);
  set_status(run, running);
  const auto kept = start(2);
  set_status(kept, running);
  const auto by_annotation = start_lapsing(3, true);
  set_status(by_annotation, running);
  pass(59s);
  EXPECT_EQ(kube->count("DELETE"), 0U);
  pass(1s);
  EXPECT_TRUE(is_deleted(run));
  EXPECT_EQ(grace_of_last_delete(), "20") << "its own grace period is the shorter one";
  EXPECT_EQ(kube->count("DELETE"), 1U);
  take_phases();
  set_status(run, failed_3);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::stopped)) << "its end is not the job's failure";
  EXPECT_EQ(last.outcome.reason, shim_status::lease_expired);
  EXPECT_THAT(last.outcome.message, HasSubstr("until the lease ran out"));
  let_go(run);
  pass_slowly(10min, 10s);
  EXPECT_THAT(take_phases(), IsEmpty());
  EXPECT_FALSE(is_deleted(kept));
  EXPECT_FALSE(is_deleted(by_annotation));
}

TEST_F(kubernetes_lapse, renewals_put_it_off) {
  open();
  const auto run = start_lapsing(1);
  set_status(run, running);
  for (int i = 0; i < 100; ++i) {
    renew(1min);
    pass(50s);
  }
  EXPECT_FALSE(is_deleted(run));
}

TEST_F(kubernetes_lapse, the_kill_grace_cuts_the_grace_of_the_pod_and_of_one_that_is_being_ended) {
  open();
  renew(1min, 5s);
  start_lapsing(1);
  const auto stopped = start_lapsing(2);
  set_status(stopped, running);
  stop(stopped, 600s);
  EXPECT_EQ(grace_of_last_delete(), "600");
  pass(1min);
  EXPECT_EQ(kube->count("DELETE"), 3U);
  for (const auto& each : kube->requests)
    if (each.verb == "DELETE" && !each.path.ends_with("=600"))
      EXPECT_TRUE(each.path.ends_with("=5")) << each.path;
  take_phases();
  let_go(stopped);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::stopped));
  EXPECT_EQ(last.outcome.reason, shim_status::stopped) << "it was cancelled before";
}

TEST_F(kubernetes_lapse, what_was_not_made_ends_without_having_been) {
  open();
  renew(1min);
  cut();
  const auto run = start_lapsing(1);
  pass(5s);
  clock.advance(1min);
  backend->advance();
  mend();
  EXPECT_FALSE(kube->pods.contains(at(run)));
  EXPECT_EQ(std::ranges::count_if(take_phases(), model::is_final), 1);
}

TEST_F(kubernetes_lapse, a_server_that_is_away_is_asked_as_soon_as_it_is_back) {
  open();
  renew(1min);
  const auto run = start_lapsing(1);
  const auto ended = start_lapsing(2);
  set_status(run, running);
  set_status(ended, running);
  take_phases();
  cut();
  kube->set_status(at(ended), json::parse(succeeded));
  pass_slowly(20min, 5s);
  EXPECT_FALSE(is_deleted(run));
  EXPECT_THAT(take_phases(), IsEmpty());
  // The link to the control plane is back first. What has lapsed is over all the same.
  renew(10min);
  mend();
  EXPECT_TRUE(is_deleted(run));
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::succeeded)) << "it had ended before";
  EXPECT_EQ(last.run, ended);
  set_status(run, succeeded);
  let_go(run);
  expect_lapsed();
}

TEST_F(kubernetes_lapse, a_pod_that_ends_as_it_is_deleted_says_how_it_ended) {
  open();
  renew(1min);
  const auto run = start_lapsing(1);
  set_status(run, running);
  kube->cut = true;  // No watch tells it.
  kube->set_status(at(run), json::parse(failed_3));
  kube->cut = false;
  pass(1min);
  EXPECT_EQ(take_phases().back(), run_phase::failed);
  EXPECT_EQ(last.outcome.exit_code, 3);
}

TEST_F(kubernetes_lapse, an_agent_that_comes_back_later_deletes_first_and_makes_pods_then) {
  open();
  renew(1min);
  const auto run = start_lapsing(1);
  set_status(run, running);
  backend.reset();
  events.clear();
  clock.advance(1h);
  kube->faults.push_back({"DELETE", fail(ec::timeout, "no answer"), false});
  open({run});
  renew(10min);
  const auto fresh = start_lapsing(2);
  EXPECT_FALSE(kube->pods.contains(at(fresh))) << "the room of the old one is not free yet";
  pass(2s);
  EXPECT_TRUE(is_deleted(run));
  EXPECT_TRUE(kube->pods.contains(at(fresh)));
  take_phases();
  let_go(run);
  expect_lapsed();
}

TEST_F(kubernetes_lapse,
       an_agent_whose_cluster_is_away_longer_than_its_control_plane_deletes_first) {
  open();
  renew(1min);
  const auto run = start_lapsing(1);
  set_status(run, running);
  backend.reset();
  events.clear();
  clock.advance(1h);
  kube->refuse_lists = error{ec::unreachable, "no route"};
  auto made = make_kubernetes_backend(config, kube, [](const auto&) {});
  ASSERT_TRUE(made);
  backend = std::move(*made);
  backend->advance();
  renew(10min);
  kube->refuse_lists.reset();
  kube->list_again();
  pass(3s);
  ASSERT_TRUE(backend->is_ready());
  ASSERT_TRUE(backend->adopt({run}));
  backend->advance();
  EXPECT_TRUE(is_deleted(run)) << "its job may run elsewhere since";
}

TEST_F(kubernetes_lapse, what_lapsed_in_a_pause_is_over_though_the_lease_was_renewed_first) {
  open();
  renew(1min);
  const auto run = start_lapsing(1);
  set_status(run, running);
  clock.advance(2min);
  renew(10min);
  EXPECT_TRUE(is_deleted(run));
}

TEST_F(kubernetes_lapse, a_deletion_that_is_refused_keeps_no_pod_from_being_made) {
  open();
  renew(1min);
  const auto run = start_lapsing(1);
  kube->faults.push_back({"DELETE", kube::answer{403, "{}"}, false});
  pass(1min);
  renew(10min);
  const auto fresh = start_lapsing(2);
  EXPECT_TRUE(kube->pods.contains(at(fresh)));
  pass(2s);
  EXPECT_TRUE(is_deleted(run)) << "it is asked again";
}

TEST_F(kubernetes_lapse, an_agent_that_was_granted_nothing_waits_a_while_for_the_control_plane) {
  for (const bool is_heard : {true, false}) {
    auto pod = pod_of(run_of(1), json::parse(running));
    pod["metadata"]["annotations"]["argosy.io/lapse"] = "true";
    kube->add_pod(pod);
    open({run_of(1)});
    pass(4min);
    EXPECT_FALSE(is_deleted(run_of(1)));
    if (is_heard) renew(10min);
    pass(2min);
    EXPECT_EQ(is_deleted(run_of(1)), !is_heard);
    backend.reset();
    std::filesystem::remove_all(folder);
  }
}

TEST_F(kubernetes_lapse, no_word_of_the_job_or_its_defaults_makes_a_pod_lapse) {
  open();
  renew(1min);
  auto launch = launch_of(run_of(1));
  auto pod = json::parse(launch.pod);
  pod["metadata"]["annotations"]["argosy.io/lapse"] = "true";
  launch.pod = pod.dump();
  backend->start(std::move(launch));
  backend->advance();
  set_status(run_of(1), running);
  pass(1h);
  EXPECT_FALSE(is_deleted(run_of(1)));
}

/// One order of events: the link to the API server is (c)ut or (m)ended, the pod (e)nds by itself,
/// the lease is (r)enewed, the agent is killed and (a)nother one begins, (t)ime passes.
struct played_lapse : kubernetes_lapse {
  explicit played_lapse(bool lapse) : lapses(lapse) {}
  void TestBody() override {}

  void grant() {
    until = clock.boot() + 60s;
    renew(60s, 10s);
  }
  void begin() {
    open();
    grant();
    run = lapses ? start_lapsing(1) : start(1);
    set_status(run, running);
    take_phases();
  }
  bool is_there() const { return kube->pods.contains(at(run)); }
  /// The kubelet ends the pod when its grace period has passed.
  void second() {
    pass(1s);
    if (!is_there()) return;
    if (is_deleted(run) && !deleted_at) deleted_at = clock.boot();
    if (lapses && !ended && !kube->cut && !was_cut) {
      if (clock.boot() < first_until) EXPECT_FALSE(is_deleted(run));
      if (clock.boot() >= until) EXPECT_TRUE(is_deleted(run)) << "in time";
    }
    if (!kube->cut && deleted_at && clock.boot() >= *deleted_at + 9s) {
      kube->set_status(at(run), json::parse(failed_3));
      let_go(run);
    }
  }
  bool may(char what) const {
    if (what == 'c') return !kube->cut;
    if (what == 'm') return kube->cut;
    if (what == 'e') return is_there() && !is_deleted(run) && !ended;
    if (what == 'a') return !kube->cut;
    return true;
  }
  void happen(char what) {
    if (what == 'c') {
      cut();
      was_cut = true;
    }
    if (what == 'm') mend();
    if (what == 'e') {
      ended = true;
      kube->set_status(at(run), json::parse(succeeded));
      backend->advance();
    }
    if (what == 'r') grant();
    if (what == 'a') {
      // The store of the agent knows what was told.
      collect();
      backend.reset();
      for (const auto& each :
           open(told ? std::vector<model::recorded_run>{} : std::vector<model::recorded_run>{run}))
        if (model::is_final(each.phase)) note(each);
      collect();
    }
    if (what == 't')
      for (int i = 0; i < 40; ++i) second();
    collect();
  }
  void note(const run_event& event) {
    if (event.run != run || !model::is_final(event.phase)) return;
    EXPECT_FALSE(told) << "its end is told once";
    told = event;
  }
  void collect() {
    for (const auto& each : std::exchange(events, {})) note(each);
  }

  const bool lapses;
  model::run_key run;
  boot_time until{};
  boot_time first_until{clock.boot() + 60s};
  std::optional<boot_time> deleted_at;
  std::optional<run_event> told;
  bool ended = false;
  bool was_cut = false;
};

TEST(kubernetes_lapse_orders, end_a_pod_in_time_and_tell_its_end_once) {
  std::size_t played = 0;
  std::size_t lapsed = 0;
  const std::string events = "cmerat";
  constexpr std::size_t length = 3;
  std::size_t all = 1;
  for (std::size_t i = 0; i < length; ++i) all *= events.size();
  for (std::size_t number = 0; number < all; ++number) {
    std::string order;
    for (auto rest = number; order.size() < length; rest /= events.size())
      order += events[rest % events.size()];
    for (const bool lapses : {false, true}) {
      // One of both ways, evenly over all events and their places.
      if (lapses != (((number * 2'654'435'761U) >> 16 & 1) != 0)) continue;
      played_lapse one{lapses};
      SCOPED_TRACE(order + (lapses ? " lapse" : " keep"));
      one.begin();
      bool fits = true;
      for (const auto each : order) {
        fits = one.may(each);
        if (!fits) break;
        one.happen(each);
      }
      if (!fits) break;
      ++played;
      if (one.kube->cut) one.happen('m');
      for (int i = 0; i < 3; ++i) one.happen('t');
      if (!lapses) EXPECT_TRUE(!one.is_there() || !one.is_deleted(one.run) || one.ended);
      ASSERT_EQ(one.told.has_value(), lapses || one.ended);
      if (one.ended) EXPECT_EQ(one.told->phase, run_phase::succeeded);
      if (lapses && !one.ended) {
        ++lapsed;
        EXPECT_EQ(one.told->phase, run_phase::stopped);
        EXPECT_EQ(one.told->outcome.reason, shim_status::lease_expired);
      }
      if (::testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(played, 50U);
  EXPECT_GT(lapsed, 20U);
}

}  // namespace
}  // namespace argosy::backends
