// SPDX-License-Identifier: Apache-2.0
// Goal: argosyd goes into safe mode when it crashes again and again, and never otherwise; a job at
// which it crashes twice is set aside first. Method: records and traces, and a guard for each start
// over one folder.
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <optional>

#include "bins/shared/start_guard.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::argosyd {
namespace {

ulid job(std::uint64_t number) {
  return ulid_from_hash(1, 0, number);
}

/// Starts in a row, each of which ends as a test says.
struct row_of_starts {
  /// The start before ended so, and the next begins.
  void next(const start_traces& left) {
    auto its = left;
    its.start = now.number;
    now = begun(now, its);
  }
  void crash(const ulid& at = {}, work_kind kind = work_kind::round) {
    next({.signal = SIGSEGV, .work = {kind, 7, at}});
  }
  void kill(const work_note& work = {}) { next({.work = work}); }
  void end_in_order() {
    now = settled(now);
    next({});
  }

  start_record now = begun({}, {});
};

TEST(start_rule, asks_for_safe_mode_after_three_crashes_in_a_row) {
  row_of_starts starts;
  starts.crash();
  starts.crash({}, work_kind::none);
  EXPECT_FALSE(wants_safe_mode(starts.now));
  starts.crash();
  EXPECT_TRUE(wants_safe_mode(starts.now));
}

TEST(start_rule, counts_no_kill_whatever_was_under_way) {
  row_of_starts starts;
  for (int i = 0; i < 10; ++i) {
    starts.kill();
    starts.kill({work_kind::round, 7, job(1)});
    starts.kill({work_kind::replay, 100, {}});
  }
  EXPECT_EQ(starts.now.crashes, 0u);
}

TEST(start_rule, keeps_its_count_over_a_kill) {
  row_of_starts starts;
  starts.crash();
  starts.kill();
  starts.crash();
  starts.kill();
  starts.crash();
  EXPECT_TRUE(wants_safe_mode(starts.now));
}

TEST(start_rule, counts_an_end_for_want_of_memory_only_while_something_was_at_work) {
  row_of_starts starts;
  for (int i = 0; i < 10; ++i) starts.next({.out_of_memory = true});
  EXPECT_EQ(starts.now.crashes, 0u) << "the kernel ended another process, and somebody this one";
  for (int i = 0; i < 3; ++i)
    starts.next({.out_of_memory = true, .work = {work_kind::round, 7, job(1)}});
  EXPECT_TRUE(wants_safe_mode(starts.now));
  EXPECT_TRUE(starts.now.suspect.is_nil()) << "who runs out of memory need not have taken it";
}

TEST(start_rule, forgets_crashes_at_an_end_in_order_and_after_a_long_life) {
  row_of_starts starts;
  for (int i = 0; i < 10; ++i) {
    starts.crash(job(1));
    starts.end_in_order();
  }
  EXPECT_EQ(starts.now.crashes, 0u);
  starts.crash();
  starts.crash();
  starts.now = settled(starts.now);
  starts.crash();
  EXPECT_EQ(starts.now.crashes, 0u) << "it crashed later than that it is counted";
}

TEST(start_rule, counts_no_traces_of_another_start) {
  const start_record before{.number = 5, .crashes = 0, .open = true};
  EXPECT_EQ(begun(before, {.start = 4, .signal = SIGSEGV}).crashes, 0u);
  EXPECT_EQ(begun(before, {.start = 5, .signal = SIGSEGV}).crashes, 1u);
}

TEST(start_rule, sets_a_job_aside_after_two_crashes_at_it) {
  row_of_starts starts;
  starts.crash(job(1));
  EXPECT_TRUE(to_set_aside(starts.now).is_nil());
  starts.kill();
  starts.crash(job(1));
  EXPECT_EQ(to_set_aside(starts.now), job(1));
  EXPECT_FALSE(wants_safe_mode(starts.now));
  starts.kill();
  EXPECT_EQ(to_set_aside(starts.now), job(1)) << "the start before may not have come to it";
  starts.end_in_order();
  EXPECT_TRUE(to_set_aside(starts.now).is_nil());
}

TEST(start_rule, sets_no_job_aside_when_several_are_blamed_in_turn) {
  row_of_starts starts;
  starts.crash(job(1));
  starts.crash(job(2));
  EXPECT_TRUE(to_set_aside(starts.now).is_nil());
  starts.crash(job(1));
  EXPECT_TRUE(to_set_aside(starts.now).is_nil());
  EXPECT_TRUE(wants_safe_mode(starts.now));
}

TEST(start_rule, sets_no_second_job_aside_when_crashes_go_on_after_the_first) {
  row_of_starts starts;
  starts.crash(job(1));
  starts.crash(job(1));
  starts.crash(job(2));
  EXPECT_TRUE(wants_safe_mode(starts.now));
  EXPECT_TRUE(to_set_aside(starts.now).is_nil());
}

TEST(start_rule, stays_in_safe_mode_until_an_operator_ends_it) {
  row_of_starts starts;
  for (int i = 0; i < 3; ++i) starts.crash();
  starts.end_in_order();
  EXPECT_TRUE(wants_safe_mode(starts.now));
  starts.kill();
  starts.crash();
  EXPECT_TRUE(wants_safe_mode(starts.now));
}

class start_guards : public ::testing::Test {
 protected:
  /// A start that is under way.
  start_guard& start(bool leave = false) {
    guard.reset();
    guard.emplace(folder.path());
    EXPECT_TRUE(guard->begin(leave));
    EXPECT_TRUE(guard->begin(leave)) << "the second time nothing happens";
    return *guard;
  }
  /// Writes the file as if so many starts had crashed before the one that is under way.
  void pretend(std::uint32_t crashes) {
    auto record = guard->now();
    record.crashes = crashes;
    std::ofstream{folder.path() / "starts"} << print(record);
  }

  testing::temp_folder folder;
  std::optional<start_guard> guard;
};

TEST_F(start_guards, know_what_was_under_way_in_a_start_that_was_killed) {
  EXPECT_EQ(start().before(), start_traces{});
  {
    const at_work noted{guard->work().get(), work_kind::round, 7};
    at_work::at_job(job(3));
    guard.reset();
    const auto& before = start().before();
    EXPECT_EQ(before.work, (work_note{work_kind::round, 7, job(3)}));
    EXPECT_EQ(before.signal, 0);
  }
  EXPECT_EQ(guard->now().crashes, 0u);
}

TEST_F(start_guards, settle_once_and_begin_again) {
  start();
  pretend(2);
  start();
  EXPECT_EQ(guard->now().crashes, 2u);
  EXPECT_TRUE(guard->settle());
  EXPECT_TRUE(guard->settle());
  start();
  EXPECT_EQ(guard->now().crashes, 0u);
  EXPECT_EQ(guard->before(), start_traces{}) << "it ended in order";
}

TEST_F(start_guards, count_an_error_of_the_program_that_ended_a_start_in_order) {
  for (std::uint32_t crashes = 0; crashes < 3; ++crashes) {
    EXPECT_EQ(start().now().crashes, crashes);
    guard->crashed();
  }
  EXPECT_TRUE(start().safe_mode());
}

TEST_F(start_guards, know_of_a_crash_after_a_long_life_and_do_not_count_it) {
  EXPECT_TRUE(start().settle());
  guard->crashed();
  EXPECT_TRUE(is_crash(start().before()));
  EXPECT_EQ(guard->now().crashes, 0u);
}

TEST_F(start_guards, leave_safe_mode_when_told) {
  start();
  pretend(3);
  EXPECT_TRUE(start().safe_mode());
  EXPECT_TRUE(start().safe_mode());
  EXPECT_FALSE(start(true).safe_mode());
  EXPECT_FALSE(start().safe_mode());
}

TEST_F(start_guards, take_a_file_that_cannot_be_read_for_none) {
  const start_record record{9, 2, true, job(5), 1};
  EXPECT_EQ(parse_start_record(print(record)), record);
  for (const char* text : {"", "x", "argosyd-starts-1 3 7 open\n", "argosyd-starts-2 3 1 ajar 0 x"})
    EXPECT_EQ(parse_start_record(text), start_record{}) << text;
  std::ofstream{folder.path() / "starts"} << "garbage";
  std::ofstream{folder.path() / "work"} << "garbage";
  EXPECT_EQ(start().now().crashes, 0u);
}

}  // namespace
}  // namespace argosy::argosyd
