// SPDX-License-Identifier: Apache-2.0
// Goal: a job that waits lets others go on, and ends where it waits when its machine is killed.
// Method: jobs that note what they do.
#include "bins/simulator/fibers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace argosy::sim {
namespace {

using ::testing::ElementsAre;

class fibers : public ::testing::Test {
 protected:
  /// A job that says when it begins, waits, and says when it goes on.
  void begin(const std::string& name, std::size_t owner = 1) {
    pool.run(owner, [this, name] {
      said.push_back(name + " begins");
      pool.park([&](fiber_pool::ticket own) { tickets.push_back(own); });
      said.push_back(name + " goes on");
    });
  }

  fiber_pool pool;
  std::vector<std::string> said;
  std::vector<fiber_pool::ticket> tickets;
};

TEST_F(fibers, let_others_go_on_while_one_waits) {
  begin("a");
  begin("b");
  pool.resume(tickets.at(1));
  pool.resume(tickets.at(0));
  EXPECT_THAT(said, ElementsAre("a begins", "b begins", "b goes on", "a goes on"));
}

TEST_F(fibers, go_on_once_for_each_wait) {
  begin("a");
  pool.resume(tickets.at(0));
  pool.resume(tickets.at(0));
  begin("b");
  pool.resume(tickets.at(0));
  EXPECT_THAT(said, ElementsAre("a begins", "a goes on", "b begins"));
  pool.end_all(1);
}

TEST_F(fibers, end_where_they_wait_and_destroy_what_they_hold) {
  auto held = std::make_shared<int>(1);
  pool.run(1, [&, own = held] {
    const auto copy = own;
    pool.park([](fiber_pool::ticket) {});
    said.emplace_back("never");
  });
  begin("of another machine", 2);
  EXPECT_GT(held.use_count(), 1);
  pool.end_all(1);
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_THAT(said, ElementsAre("of another machine begins"));
  pool.end_all(2);
}

TEST_F(fibers, keep_their_exceptions_to_themselves) {
  pool.run(1, [&] {
    try {
      throw std::runtime_error{"mine"};
    } catch (const std::runtime_error& caught) {
      pool.park([&](fiber_pool::ticket own) { tickets.push_back(own); });
      said.emplace_back(caught.what());
    }
  });
  try {
    throw std::runtime_error{"of the thread"};
  } catch (const std::runtime_error& caught) {
    pool.resume(tickets.at(0));
    said.emplace_back(caught.what());
  }
  EXPECT_EQ(std::current_exception(), nullptr);
  EXPECT_THAT(said, ElementsAre("mine", "of the thread"));
}

TEST_F(fibers, run_a_job_within_a_job_to_its_end) {
  pool.run(1, [&] {
    EXPECT_TRUE(pool.is_inside());
    pool.run(1, [&] { said.emplace_back("inner"); });
    said.emplace_back("outer");
  });
  EXPECT_FALSE(pool.is_inside());
  EXPECT_THAT(said, ElementsAre("inner", "outer"));
}

}  // namespace
}  // namespace argosy::sim
