// SPDX-License-Identifier: Apache-2.0
// Goal: pods are asked for a few at a time, the oldest first, and nothing else waits behind them.
// Method: an API server in memory that answers when the test says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/kubernetes/kubernetes_fixture.hpp"

namespace argosy::backends {
namespace {

struct kubernetes_creates : kubernetes_fixture {
  kubernetes_creates() { config.creates_max = 3; }

  /// Starts so many runs at a server that does not answer.
  void start_many(std::uint8_t count) {
    open();
    kube->silent = true;
    for (std::uint8_t i = 1; i <= count; ++i) {
      clock.advance(1ms);
      start(i);
    }
  }
  /// The server says this to the oldest of the requests that it has.
  void answer_one(const result<kube::answer>& with) {
    const auto done = kube->held.front();
    kube->held.erase(kube->held.begin());
    done(with);
    backend->advance();
  }
  /// The names of the pods that were asked for.
  std::vector<std::string> asked() const {
    std::vector<std::string> out;
    for (const auto& each : kube->requests)
      if (each.verb == "POST") out.push_back(json::parse(each.body)["metadata"]["name"]);
    return out;
  }
  static std::vector<std::string> names(std::initializer_list<std::uint8_t> serials) {
    std::vector<std::string> out;
    for (const auto each : serials) out.push_back(name_of(run_of(each)));
    return out;
  }
  kube::answer made(std::uint8_t serial) const {
    return {201, pod_of(run_of(serial), json::parse(R"({"phase":"Pending"})")).dump()};
  }
};

TEST_F(kubernetes_creates, are_asked_for_a_few_at_a_time_in_their_order) {
  start_many(6);
  EXPECT_EQ(asked(), names({1, 2, 3}));
  answer_one(made(1));
  EXPECT_EQ(asked(), names({1, 2, 3, 4}));
  answer_one(made(2));
  answer_one(made(3));
  answer_one(made(4));
  EXPECT_EQ(asked(), names({1, 2, 3, 4, 5, 6}));
}

TEST_F(kubernetes_creates, a_failure_makes_room_as_well_and_is_tried_again_later) {
  start_many(4);
  answer_one(fail(ec::unreachable, "refused"));
  EXPECT_EQ(asked(), names({1, 2, 3, 4}));
  pass(1s);
  EXPECT_EQ(asked().size(), 4U) << "three are under way";
  answer_one(made(2));
  EXPECT_EQ(asked(), names({1, 2, 3, 4, 1}));
}

TEST_F(kubernetes_creates, a_run_that_is_stopped_while_it_waits_ends_at_once_and_takes_no_place) {
  start_many(5);
  stop(run_of(4));
  EXPECT_EQ(take_phases(), std::vector{run_phase::stopped});
  answer_one(made(1));
  EXPECT_EQ(asked(), names({1, 2, 3, 5}));
}

TEST_F(kubernetes_creates, deletions_do_not_wait_behind_them) {
  open();
  const auto old = start(9);
  kube->silent = true;
  for (std::uint8_t i = 1; i <= 5; ++i) start(i);
  stop(old);
  EXPECT_EQ(kube->count("DELETE"), 1U);
}

TEST_F(kubernetes_creates, the_time_for_a_creation_begins_when_it_is_asked_for) {
  config.creates_max = 1;
  start_many(2);
  pass(2min);
  answer_one(made(1));
  EXPECT_EQ(asked(), names({1, 2}));
  answer_one(kube::answer{500, R"({"message":"busy"})"});
  EXPECT_EQ(take_phases(), std::vector{run_phase::pending}) << "the second is not given back";
  kube->silent = false;
  pass(2s);
  EXPECT_EQ(take_phases(), std::vector{run_phase::pending});
}

TEST_F(kubernetes_creates, that_nobody_would_be_granted_are_asked_for_no_more) {
  const std::pair<int, const char*> refusals[] = {
      {404, "namespaces \\\"jobs\\\" not found"},
      {403, "pods is forbidden: User \\\"agent\\\" cannot create resource \\\"pods\\\""},
      {403, "pods \\\"p\\\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2"}};
  for (const auto& [status, words] : refusals) {
    SCOPED_TRACE(words);
    kube = std::make_shared<fake_kube>(*kube);
    kube->requests.clear();
    kube->held.clear();
    config.rules.namespaces = {"jobs", "more"};
    events.clear();
    start_many(9);
    backend->start(launch_of(run_of(10), "more"));
    backend->advance();
    EXPECT_EQ(asked(), names({1, 2, 3}));
    answer_one(kube::answer{status, std::string{R"({"message":")"} + words + "\"}"});
    EXPECT_EQ(take_phases(), std::vector(7, run_phase::refused)) << "and those that wait";
    EXPECT_FALSE(last.outcome.category.empty());
    EXPECT_EQ(asked(), names({1, 2, 3, 10})) << "it is of another namespace";
    answer_one(made(2));
    answer_one(kube::answer{status, std::string{R"({"message":")"} + words + "\"}"});
    EXPECT_EQ(take_phases(), (std::vector{run_phase::pending, run_phase::refused}));
    EXPECT_EQ(asked().size(), 4U);
    backend.reset();
  }
}

TEST_F(kubernetes_creates, that_are_refused_for_the_run_alone_leave_the_others) {
  start_many(6);
  answer_one(kube::answer{422, R"({"message":"Pod is invalid: spec"})"});
  answer_one(kube::answer{
      403,
      R"({"message":"pods \"p\" is forbidden: insufficient quota to consume: nvidia.com/gpu"})"});
  EXPECT_EQ(take_phases(), (std::vector{run_phase::failed, run_phase::refused}));
  EXPECT_EQ(asked(), names({1, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace argosy::backends
