// SPDX-License-Identifier: Apache-2.0
// Goal: at no moment two of several replicas act, in whatever order things go wrong, and when
// nothing goes wrong any more one acts.
// Method: random worlds in virtual time, each from a seed; the rule is looked at after each step. A
// world in which holders break the rule has to be found out.
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/kube/lease_fixture.hpp"

namespace argosy::kube {
namespace {

using namespace std::chrono_literals;
using namespace testing;

/// A world in which everything takes its time, fails at random, and processes are paused.
class random_world {
 public:
  explicit random_world(std::uint64_t seed, milliseconds renew_within = 10s)
      : random_(seed), renew_within_(renew_within) {
    for (int i = 0; i < 3; ++i)
      parts_.push_back({candidate{std::string(1, static_cast<char>('a' + i)),
                                  std::chrono::hours{up_to(90)}, std::chrono::minutes{up_to(120)},
                                  0.99 + 0.0002 * static_cast<double>(up_to(100)), renew_within},
                        {},
                        {},
                        {}});
  }

  /// How many act now; paused ones too, since a pause may end at any moment.
  int acting() const {
    int out = 0;
    for (const auto& one : parts_) out += one.who.acts(now_) ? 1 : 0;
    return out;
  }

  void step(bool faults) {
    now_ += milliseconds{50 + up_to(200)};
    server_.fails_with = faults && up_to(19) == 0 ? 500 : 0;
    for (auto& one : parts_) {
      arrive(one);
      if (faults && up_to(299) == 0) one.paused_until = now_ + milliseconds{up_to(40'000)};
      if (now_ < one.paused_until) continue;
      if (one.back && now_ >= one.back->first) {
        one.who.core.answered(one.back->second, one.who.boot(now_));
        one.back.reset();
      }
      if (const auto what = one.who.core.tick(one.who.boot(now_), one.who.wall(now_)))
        one.there = {now_ + milliseconds{faults ? up_to(3'000) : up_to(100)}, *what};
      // Its Kubernetes starts it again.
      if (one.who.core.now_is() == standing::lost) {
        one.who = candidate{"life " + std::to_string(++lives_), now_, 0h, 1.0, renew_within_};
        one.there.reset();
        one.back.reset();
      }
    }
  }

 private:
  struct part {
    candidate who;
    std::optional<std::pair<boot_time, request>> there;
    std::optional<std::pair<boot_time, result<answer>>> back;
    boot_time paused_until{};
  };

  std::uint64_t up_to(std::uint64_t most) { return random_() % (most + 1); }

  /// A request reaches the server, or is lost on its way there or back.
  void arrive(part& one) {
    if (!one.there || now_ < one.there->first) return;
    const auto fate = up_to(19);
    result<answer> got = fail(ec::timeout, "lost");
    if (fate != 0) got = server_.serve(one.there->second);
    if (fate == 1) got = fail(ec::timeout, "lost on its way back");
    one.back = {now_ + milliseconds{up_to(1'500)}, std::move(got)};
    one.there.reset();
  }

  std::mt19937_64 random_;
  milliseconds renew_within_;
  boot_time now_{0};
  lease_server server_;
  std::vector<part> parts_;
  int lives_ = 0;
};

TEST(election_worlds, never_have_two_that_act_and_get_one_when_faults_end) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    random_world world{seed};
    for (int i = 0; i < 2'000; ++i) {
      world.step(true);
      ASSERT_LE(world.acting(), 1) << "seed " << seed << ", step " << i;
    }
    int i = 0;
    for (; i < 1'000 && world.acting() == 0; ++i) world.step(false);
    ASSERT_EQ(world.acting(), 1) << "seed " << seed << ": nobody acts";
  }
}

/// The worlds have to find it when holders go on for longer than the others wait.
TEST(election_worlds, find_two_that_act_where_the_rule_is_broken) {
  bool found = false;
  for (std::uint64_t seed = 0; seed < 60 && !found; ++seed) {
    random_world world{seed, 25s};
    for (int i = 0; i < 2'000 && !found; ++i) {
      world.step(true);
      found = world.acting() > 1;
    }
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace argosy::kube
