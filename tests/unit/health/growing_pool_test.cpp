// SPDX-License-Identifier: Apache-2.0
// Goal: work waits for no other work while there may be more threads. Method: work that ends only
// when other work has begun.
#include "runtime/health/growing_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <memory>
#include <thread>

namespace argosy::health {
namespace {

using namespace std::chrono_literals;

TEST(growing_pool, has_a_thread_for_each_that_waits_for_the_others) {
  std::latch all{20};
  growing_pool pool{20, 1min};
  for (int i = 0; i < 20; ++i) pool.enqueue([&] { all.arrive_and_wait(); });
  all.wait();
  EXPECT_EQ(pool.threads(), 20U);
}

TEST(growing_pool, has_no_more_threads_than_it_may) {
  std::atomic<int> at_work = 0;
  std::atomic<int> most = 0;
  std::latch done{200};
  growing_pool pool{3, 1min};
  for (int i = 0; i < 200; ++i)
    pool.enqueue([&] {
      most = std::max(most.load(), ++at_work);
      --at_work;
      done.count_down();
    });
  done.wait();
  EXPECT_LE(most, 3);
}

TEST(growing_pool, makes_no_thread_for_each_of_many_who_are_soon_done_with) {
  std::latch done{1'000};
  growing_pool pool{1'000, 1min, 4, 1h};
  for (int i = 0; i < 1'000; ++i) pool.enqueue([&] { done.count_down(); });
  done.wait();
  EXPECT_LE(pool.threads(), 5U);
}

TEST(growing_pool, grows_for_those_who_wait_though_nobody_comes_any_more) {
  std::latch all{20};
  growing_pool pool{20, 1min, 2, 1ms};
  for (int i = 0; i < 20; ++i) pool.enqueue([&] { all.arrive_and_wait(); });
  all.wait();
  EXPECT_EQ(pool.threads(), 20U);
}

TEST(growing_pool, ends_what_was_begun_and_drops_what_waits) {
  std::latch begun{1};
  std::latch go_on{1};
  std::atomic<int> done = 0;
  growing_pool pool{1, 1min};
  pool.enqueue([&] {
    begun.count_down();
    go_on.wait();
    ++done;
  });
  begun.wait();
  const auto waits = std::make_shared<int>(0);
  for (int i = 0; i < 10; ++i) pool.enqueue([&, waits] { ++done; });
  std::thread ending{[&] { pool.shutdown(); }};
  while (pool.waiting() > 0) std::this_thread::yield();
  go_on.count_down();
  ending.join();
  EXPECT_EQ(done, 1);
  EXPECT_EQ(waits.use_count(), 1);
}

TEST(growing_pool, lets_threads_go_that_have_nothing_to_do) {
  growing_pool pool{4, 1ms};
  std::latch all{4};
  for (int i = 0; i < 4; ++i) pool.enqueue([&] { all.arrive_and_wait(); });
  while (pool.threads() > 0) std::this_thread::yield();
  std::latch again{1};
  pool.enqueue([&] { again.count_down(); });
  again.wait();
}

}  // namespace
}  // namespace argosy::health
