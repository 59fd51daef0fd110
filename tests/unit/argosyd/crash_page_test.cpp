// SPDX-License-Identifier: Apache-2.0
// Goal: what a process was at work on, and the signal by which it crashed, can be read after its
// end, and a signal that somebody sent is told from one of its own. Method: children that end in
// each way.
#include "bins/shared/crash_page.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>

#include "tests/support/temp_folder.hpp"

namespace argosy {
namespace {

const ulid job = ulid_from_hash(1, 2, 3);

class crash_pages : public ::testing::Test {
 protected:
  /// Runs it in a child, at work on the job, to its end. Returns what the child left.
  start_traces after(const std::function<void()>& end) {
    const auto child = ::fork();
    if (child == 0) {
      auto page = crash_page::open(file).value();
      page->begin(5);
      const at_work noted{page->work().get(), work_kind::round, 7};
      at_work::at_job(job);
      end();
      ::_exit(0);
    }
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return crash_page::open(file).value()->traces();
  }
  void TearDown() override {
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::signal(number, SIG_DFL);
  }

  testing::temp_folder folder;
  const std::filesystem::path file = folder.path() / "work";
  int status = 0;
};

__attribute__((noinline)) int overflow(volatile int* last) {
  volatile int room[1024] = {};
  room[0] = *last + 1;
  return *last > 1'000'000 ? 0 : overflow(room) + room[0];
}

TEST_F(crash_pages, have_the_signal_and_the_work_of_a_thread_that_crashed) {
  const auto left = after([] {
    volatile int* nowhere = nullptr;
    *nowhere = 1;
  });
  EXPECT_EQ(left, (start_traces{5, SIGSEGV, left.out_of_memory, {work_kind::round, 7, job}}));
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGSEGV) << "the signal has its usual effect";
}

TEST_F(crash_pages, have_an_abort) {
  EXPECT_EQ(after([] { std::abort(); }).signal, SIGABRT);
  EXPECT_EQ(WTERMSIG(status), SIGABRT);
}

TEST_F(crash_pages, have_an_overflow_of_the_stack) {
  const auto left = after([] {
    volatile int none = 0;
    ::_exit(overflow(&none));
  });
  EXPECT_EQ(left.signal, SIGSEGV);
  EXPECT_EQ(left.work.job, job);
}

TEST_F(crash_pages, have_no_signal_that_somebody_sent) {
  for (const int number : {SIGSEGV, SIGABRT, SIGKILL}) {
    const auto left = after([number] {
      const auto parent = ::getpid();
      if (::fork() == 0) {
        ::kill(parent, number);
        ::_exit(0);
      }
      for (;;) ::pause();
    });
    EXPECT_EQ(WTERMSIG(status), number);
    EXPECT_EQ(left.signal, 0) << number;
    EXPECT_EQ(left.work, (work_note{work_kind::round, 7, job})) << "what was under way is known";
  }
}

TEST_F(crash_pages, forget_with_each_start) {
  (void)after([] { std::abort(); });
  const auto page = crash_page::open(file).value();
  page->begin(6);
  EXPECT_EQ(page->traces(), (start_traces{.start = 6}));
}

TEST_F(crash_pages, are_empty_at_first_and_when_they_were_damaged) {
  EXPECT_EQ(crash_page::open(file).value()->traces(), start_traces{});
  std::ofstream{file} << "garbage";
  EXPECT_EQ(crash_page::open(file).value()->traces(), start_traces{});
}

TEST(memory_kills, are_counted_as_the_kernel_does) {
  testing::temp_folder folder;
  const auto file = folder.path() / "vmstat";
  std::ofstream{file} << "pgfault 7\noom_kill 3\nother 1\n";
  EXPECT_EQ(count_memory_kills(file), 3u);
  std::ofstream{file} << "pgfault 7\n";
  EXPECT_FALSE(count_memory_kills(file));
}

TEST(work_under_way, is_told_in_words) {
  EXPECT_EQ(what_was_under_way({work_kind::round, 7, {}}), "while it decided round 7");
  EXPECT_EQ(what_was_under_way({work_kind::round, 7, job}),
            "while it decided round 7, at job " + to_string(job));
  EXPECT_EQ(what_was_under_way({work_kind::replay, 9, {}}), "while it applied record 9 of the log");
  EXPECT_EQ(what_was_under_way({}), "while no round was decided");
}

}  // namespace
}  // namespace argosy
