// SPDX-License-Identifier: Apache-2.0
// Goal: where nobody looked at an output in its first seconds, its reader is told that the
// beginning may be missing; where somebody did, and of programs that print late, nobody is told so.
// Method: the saver and the reader of lines alone, with times.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/backends/kubernetes/output/output_saver.hpp"
#include "tests/support/kube/pod_log.hpp"
#include "tests/unit/kubernetes/kubernetes_fixture.hpp"

namespace argosy::backends {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t one_second = 1'000'000'000;
constexpr std::int64_t began = 1'795'000'000 * one_second;

/// The lines of a loop that begins to print so long after its container began.
std::string printed(std::int64_t after_ns, std::int64_t between_ns, int lines = 100) {
  argosy::testing::pod_log log;
  for (int i = 0; i < lines; ++i)
    log.print("a line of some sixty characters, as programs print them out\n",
              began + after_ns + i * between_ns);
  return log.read({{"timestamps", "true"}, {"limitBytes", "4096"}});
}

struct output_beginnings : ::testing::Test {
  /// The agent has seen the container so long after it began.
  void see(boot_time late) {
    saver.began(run, {{.name_space = "jobs", .name = "p1", .container = "main", .began_ns = began}},
                began + late.count(), now);
  }
  /// The look that is due gets this answer after so long.
  void look(boot_time answered_after, result<kube::answer> answer) {
    now = saver.next_due();
    const auto asked = saver.take(now).requests;
    ASSERT_EQ(asked.size(), 1U);
    now += answered_after;
    saver.answered(asked[0].number, answer, now);
  }
  void look(boot_time answered_after, std::string body) {
    look(answered_after, kube::answer{200, std::move(body)});
  }
  [[nodiscard]] log_beginning known() const { return saver.beginning(run, "main", now); }

  model::run_key run = kubernetes_fixture::run_of(1);
  output_saver saver{{.run_bytes_max = 1 << 20}};
  boot_time now{1h};
};

TEST_F(output_beginnings, that_were_seen_in_time_are_known) {
  see(1s);
  look(100ms, printed(3 * one_second, 1'000));
  EXPECT_EQ(known().first_ns, began + 3 * one_second);
  EXPECT_FALSE(known().unseen);
}

TEST_F(output_beginnings, of_programs_that_print_late_are_known_if_they_were_empty_in_time) {
  see(1s);
  look(100ms, "");
  EXPECT_EQ(known().first_ns, 0);
  look(30s, printed(12 * one_second, 1'000));
  EXPECT_EQ(known().first_ns, began + 12 * one_second);
  EXPECT_FALSE(known().unseen);
}

TEST_F(output_beginnings, of_fast_programs_are_unseen_if_the_first_look_was_late) {
  see(1s);
  look(8s, printed(9 * one_second, 300'000));
  EXPECT_EQ(known().first_ns, began);
  EXPECT_TRUE(known().unseen);
}

TEST_F(output_beginnings, that_have_their_first_line_are_known_however_late) {
  see(1h);
  look(8s, printed(one_second, 1'000));
  EXPECT_EQ(known().first_ns, began + one_second);
  EXPECT_FALSE(known().unseen);
}

TEST_F(output_beginnings, of_slow_programs_are_known_however_late) {
  see(1h);
  look(8s, printed(600 * one_second, one_second));
  EXPECT_FALSE(known().unseen);
  EXPECT_EQ(known().first_ns, began + 600 * one_second);
}

TEST_F(output_beginnings, that_nobody_could_look_at_in_time_are_unseen_while_it_is_empty) {
  see(1s);
  look(2s, fail(ec::timeout, "the kubelet does not answer"));
  EXPECT_FALSE(known().unseen);
  look(100ms, "");
  EXPECT_TRUE(known().unseen);
  EXPECT_EQ(known().first_ns, began);
}

TEST_F(output_beginnings, of_programs_that_have_long_been_quiet_are_not_called_unseen) {
  see(1h);
  look(100ms, "");
  EXPECT_FALSE(known().unseen);
}

TEST_F(output_beginnings, are_unseen_until_a_late_look_is_answered) {
  see(4s);
  EXPECT_FALSE(known().unseen);
  now += 2s;
  EXPECT_TRUE(known().unseen);
  look(100ms, printed(one_second, 1'000));
  EXPECT_FALSE(known().unseen);
}

TEST_F(output_beginnings, that_were_empty_in_time_are_known_to_the_next_agent) {
  see(1s);
  look(100ms, "");
  const auto heads = saver.take(now).heads;
  ASSERT_EQ(heads.size(), 1U);
  saver = output_saver{{.run_bytes_max = 1 << 20}};
  saver.restore(heads[0]);
  see(30s);
  look(100ms, printed(12 * one_second, 1'000));
  EXPECT_EQ(known().first_ns, began + 12 * one_second);
  EXPECT_FALSE(known().unseen);
}

TEST_F(output_beginnings, that_are_unseen_stand_as_a_gap_in_what_is_kept) {
  see(1s);
  look(8s, printed(9 * one_second, 300'000));
  const auto kept = saver.with_head({run, "main", true, "line\n", false});
  EXPECT_EQ(kept.bytes, std::string{output_gap} + "line\n");
  EXPECT_TRUE(kept.cut);
}

/// What a reader is told who learns of the beginning before or after the first lines have come.
std::string told(const log_beginning& beginning, bool learns_later, const std::string& body) {
  log_lines reader{{}, {.beginning = learns_later ? log_beginning{} : beginning}};
  reader.begin_answer();
  reader.take(body);
  if (learns_later) reader.learn(beginning);
  reader.end_answer(false);
  std::string out;
  while (!reader.all_given()) out += reader.give(1'000'000).lost;
  return out;
}

TEST(unseen_beginnings, are_told_to_readers_whenever_they_are_known) {
  for (const bool learns_later : {false, true}) {
    EXPECT_THAT(told({began, true}, learns_later, printed(9 * one_second, 1'000)),
                HasSubstr("between 2026-11-18T11:06:40.000Z and 2026-11-18T11:06:49.000Z may be "
                          "missing: nobody read the output in its first seconds"));
    EXPECT_THAT(told({began, true}, learns_later, printed(one_second, 1'000)), IsEmpty())
        << "the reader has the beginning himself";
    EXPECT_THAT(told({began + one_second}, learns_later, printed(9 * one_second, 1'000)),
                HasSubstr("is missing: its node rotated"));
    EXPECT_THAT(told({began + one_second}, learns_later, printed(one_second, 1'000)), IsEmpty());
  }
  EXPECT_THAT(told({began, true}, false, ""), HasSubstr("after 2026-11-18T11:06:40.000Z may be"));
}

}  // namespace
}  // namespace argosy::backends
