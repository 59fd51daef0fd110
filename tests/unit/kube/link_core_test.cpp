// SPDX-License-Identifier: Apache-2.0
// Goal: an API server that does not answer is known within ten seconds, and one that does is never
// taken for one that does not, whatever its watches do.
// Method: link_core in virtual time, with a server that answers after a while, or not at all.
#include "runtime/kube/link_core.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace argosy::kube {
namespace {

using namespace std::chrono_literals;

/// Plays a link for a while. `answer_after` says how long a probe that is sent now takes; nothing:
/// it is never answered. Whoever gave it up is told after its time.
struct played_link {
  boot_time now = 100s;
  link_rules rules{};
  link_core core{rules, now};
  std::optional<boot_time> answer_at;
  bool is_answer = false;
  std::vector<boot_time> lost;
  std::vector<boot_time> back;
  std::size_t probes = 0;

  void play(boot_time span, const std::function<std::optional<boot_time>()>& answer_after) {
    for (const auto end = now + span; now < end; now += 100ms) {
      if (answer_at && now >= *answer_at) {
        answer_at.reset();
        core.probed(is_answer, is_answer ? "" : "no answer", now);
      }
      const auto step = core.tick(now);
      if (step.lost) lost.push_back(now);
      if (step.back) back.push_back(now);
      if (!step.probe) continue;
      ++probes;
      const auto takes = answer_after();
      is_answer = takes && *takes < rules.probe_within;
      answer_at = now + (is_answer ? *takes : rules.probe_within);
    }
  }
  void play(boot_time span, std::optional<boot_time> answer_after) {
    play(span, [=] { return answer_after; });
  }
};

TEST(link_core, is_good_as_long_as_the_server_answers) {
  played_link link;
  link.play(10min, 50ms);
  EXPECT_TRUE(link.lost.empty());
  EXPECT_LE(link.probes, 310U);
  link.play(10min, 5s);
  EXPECT_TRUE(link.lost.empty()) << "a slow server is one";
}

TEST(link_core, knows_of_silence_within_ten_seconds_whenever_it_begins) {
  for (auto begin = 0ms; begin < 5s; begin += 100ms) {
    played_link link;
    link.play(10s + begin, 50ms);
    const auto cut = link.now;
    link.play(10s, std::nullopt);
    ASSERT_EQ(link.lost.size(), 1U);
    EXPECT_LE(link.lost[0] - cut, 10s);
    EXPECT_GE(link.lost[0] - cut, 5s) << "a moment of silence is none";
    link.play(1h, std::nullopt);
    EXPECT_TRUE(link.core.is_away());
    const auto mended = link.now;
    link.play(10s, 50ms);
    ASSERT_EQ(link.back.size(), 1U);
    EXPECT_LE(link.back[0] - mended, 9s);
    EXPECT_EQ(link.lost.size(), 1U);
  }
}

TEST(link_core, does_not_ask_while_others_are_answered) {
  played_link link;
  for (int i = 0; i < 100; ++i) {
    link.core.heard(link.now);
    link.play(1s, std::nullopt);
  }
  EXPECT_EQ(link.probes, 0U);
}

TEST(link_core, is_away_until_the_server_is_ready_and_no_shorter) {
  played_link link;
  link.play(20s, std::nullopt);
  ASSERT_TRUE(link.core.is_away());
  for (int i = 0; i < 60; ++i) {
    link.core.heard(link.now);
    link.play(1s, std::nullopt);
  }
  EXPECT_TRUE(link.back.empty()) << "one request in ten that is answered is no link";
}

TEST(link_core, does_not_blame_the_server_for_a_pause_of_its_own) {
  played_link link;
  link.play(10s, 50ms);
  link.now += 1h;
  link.play(10s, 50ms);
  EXPECT_TRUE(link.lost.empty());
}

TEST(link_core, says_when_it_has_to_be_looked_at) {
  link_core core{{}, 100s};
  EXPECT_EQ(core.next_due(), 102s);
  EXPECT_TRUE(core.tick(102s).probe);
  EXPECT_EQ(core.next_due(), 108s);
  const auto step = core.tick(108s);
  ASSERT_TRUE(step.lost);
  EXPECT_EQ(*step.lost, 100s) << "since then nothing is known";
  core.probed(false, "refused", 108s);
  EXPECT_EQ(core.next_due(), 110s);
}

}  // namespace
}  // namespace argosy::kube
