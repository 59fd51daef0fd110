// SPDX-License-Identifier: Apache-2.0
// Goal: orders reach a remote agent in frames of a limited size, and an order that does not get
// through keeps no other back. Method: the proxy on a bus in memory with small frames, and an agent
// that notes what arrives.
#include "actors/link/executor_proxy.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "actors/api/bus.hpp"
#include "runtime/bus/in_memory.hpp"
#include "tests/actors/executor/asking_fixture.hpp"

namespace argosy::actors {

namespace {

using namespace std::chrono_literals;

struct executor_proxy : tests::asking_fixture {
  executor_proxy() {
    auto subscribed = agent->serve("argosy.agent.c.orders", [this](const bus::frame& frame) {
      auto orders = codec::decode_orders(frame.data);
      ASSERT_TRUE(orders);
      EXPECT_EQ(orders->epoch.value, 3u);
      EXPECT_EQ(orders->hello_ns, 44);
      EXPECT_EQ(orders->incarnation.value, 7u);
      arrived.push_back(std::move(*orders));
      static_cast<void>(agent->respond(frame, ""));
    });
    EXPECT_TRUE(subscribed);
    subscription = std::move(*subscribed);
    bus = spawn_bus(system, {server}, run_on::pool);
    proxy = spawn_executor_proxy(system, {"c", bus, 10s, 20'000});
  }
  ~executor_proxy() override {
    proxy = nullptr;
    bus = nullptr;
    kill_all();
    server->close();
    agent->close();
  }

  static model::start_run order(std::uint8_t job, std::size_t bytes) {
    model::start_run out;
    out.run.job.bytes[15] = job;
    out.run.number = 1;
    out.queue = "q";
    out.spec = std::make_shared<const std::string>(bytes, 'x');
    return out;
  }

  /// Gives orders to the proxy. Returns the error, if there is one.
  std::optional<error> give(std::vector<model::start_run> starts) {
    return refusal_of(proxy, atom::orders_v,
                      native::orders_ptr{std::make_shared<const model::agent_orders>(
                          model::agent_orders{{3}, std::move(starts), {}, 44, {7}})});
  }

  std::size_t started() const {
    std::size_t out = 0;
    for (const auto& orders : arrived) out += orders.start.size();
    return out;
  }

  bus::memory_broker broker{{.max_payload = 40'000}};
  std::shared_ptr<bus::connection> server = broker.connect();
  std::shared_ptr<bus::connection> agent = broker.connect();
  std::vector<model::agent_orders> arrived;
  bus::subscription subscription;
  bus_actor bus;
  executor_actor proxy;
};

}  // namespace

TEST_F(executor_proxy, divides_long_orders_by_their_bytes) {
  std::vector<model::start_run> starts;
  for (std::uint8_t i = 0; i < 20; ++i) starts.push_back(order(i, 9'000));
  EXPECT_EQ(give(std::move(starts)), std::nullopt);
  EXPECT_EQ(arrived.size(), 20u);
  EXPECT_EQ(started(), 20u);
}

TEST_F(executor_proxy, divides_many_orders_by_their_number) {
  std::vector<model::start_run> starts;
  for (std::uint8_t i = 0; i < 15; ++i) starts.push_back(order(i, 10));
  EXPECT_EQ(give(std::move(starts)), std::nullopt);
  EXPECT_EQ(arrived.size(), 1u);
  EXPECT_EQ(started(), 15u);
}

TEST_F(executor_proxy, sends_the_others_although_one_does_not_fit_into_a_frame) {
  const auto failed = give({order(1, 10), order(2, 50'000), order(3, 10), order(4, 19'000)});
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->code, ec::too_large);
  EXPECT_EQ(started(), 3u);
}

}  // namespace argosy::actors
