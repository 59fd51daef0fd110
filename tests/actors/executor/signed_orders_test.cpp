// SPDX-License-Identifier: Apache-2.0
// Goal: orders reach the EXECUTOR of an agent only if its control plane has signed them for it.
// Method: both proxies on a bus in memory. The EXECUTOR is stood in for by a proxy that sends on
// what it gets to a cluster "end", where the test notes it.
#include <gtest/gtest.h>

#include <optional>

#include "actors/api/bus.hpp"
#include "actors/link/cluster_proxy.hpp"
#include "actors/link/executor_proxy.hpp"
#include "actors/link/order_number.hpp"
#include "messages/codec/agent/agent_subject.hpp"
#include "messages/probes/link_probe.hpp"
#include "runtime/access/nkey.hpp"
#include "runtime/bus/in_memory.hpp"
#include "tests/actors/executor/asking_fixture.hpp"

namespace argosy::actors {

namespace {

using namespace std::chrono_literals;

enum class answer_kind { unsigned_one, right, of_another_request };

struct signed_orders : tests::asking_fixture {
  signed_orders() {
    auto noted = connection->serve("argosy.agent.end.*", [this](const bus::frame& frame) {
      ++arrived;
      static_cast<void>(connection->respond(frame, ""));
    });
    EXPECT_TRUE(noted);
    at_end = std::move(*noted);
    bus = spawn_bus(system, {connection}, run_on::pool);
    executor = spawn_executor_proxy(system, {.cluster = "end", .bus = bus});
    cluster_proxy_config config;
    config.cluster = "c";
    config.process = {7};
    config.bus = bus;
    config.probes = probes;
    config.checker = access::order_checker::of_keys({key.public_key}).value();
    agent = spawn_cluster_proxy(system, std::move(config));
    settle();
    caf::anon_send(agent, atom::hello_v,
                   native::hello_ptr{std::make_shared<const model::agent_hello>()}, executor);
    settle();
  }
  ~signed_orders() override {
    executor = nullptr;
    agent = nullptr;
    bus = nullptr;
    kill_all();
    connection->close();
  }

  /// Gives orders as a control plane with this key, or none. Returns the error, if there is one.
  std::optional<error> give(const std::string& seed) {
    executor_proxy_config config{.cluster = "c", .bus = bus};
    config.process = {7};
    if (!seed.empty()) config.signer = access::order_signer::from_seed(seed).value();
    const executor_actor proxy = spawn_executor_proxy(system, std::move(config));
    model::agent_orders orders;
    orders.epoch = {3};
    orders.stop.emplace_back();
    auto out = refusal_of(
        proxy, atom::orders_v,
        native::orders_ptr{std::make_shared<const model::agent_orders>(std::move(orders))});
    caf::anon_send_exit(proxy, caf::exit_reason::kill);
    return out;
  }
  std::uint64_t refused() { return probes->get<probes::link_probe>()->unsigned_orders.value(); }

  access::nkey key = access::make_nkey().value();
  bus::memory_broker broker;
  std::shared_ptr<bus::connection> connection = broker.connect();
  std::shared_ptr<metrics::board> probes = metrics::make_board();
  int arrived = 0;
  bus::subscription at_end;
  bus_actor bus;
  executor_actor executor;
  remote_cluster_actor agent;
};

}  // namespace

TEST_F(signed_orders, of_the_control_plane_reach_the_executor) {
  EXPECT_EQ(give(key.seed), std::nullopt);
  EXPECT_EQ(arrived, 1);
  EXPECT_EQ(refused(), 0u);
}

TEST_F(signed_orders, of_another_key_or_of_none_are_refused_and_counted) {
  for (const auto& seed : {std::string{}, access::make_nkey().value().seed}) {
    const auto why = give(seed);
    ASSERT_TRUE(why);
    EXPECT_EQ(why->code, ec::denied);
  }
  EXPECT_EQ(arrived, 0);
  EXPECT_EQ(refused(), 2u);
}

TEST_F(signed_orders, that_come_again_are_refused_although_they_were_signed) {
  model::agent_orders orders;
  orders.epoch = {3};
  auto frame = codec::encode(orders);
  order_number::append(frame, 1'000'000);
  access::order_signer::from_seed(key.seed).value().sign(
      frame, codec::make_agent_subject("c", codec::for_process({7}, "orders")));
  for (int i = 0; i < 3; ++i) {
    connection->request(codec::make_agent_subject("c", codec::for_process({7}, "orders")), frame,
                        {}, 10s, [](const result<bus::frame>&) {});
    settle();
  }
  EXPECT_EQ(refused(), 2u);
}

TEST_F(signed_orders, have_answers_that_are_signed_for_one_request_alone) {
  const auto signer = access::order_signer::from_seed(key.seed).value();
  const auto subject = codec::make_agent_subject("c", "heartbeat");
  std::string kept;  // an answer to the first heartbeat, which comes again
  auto mode = answer_kind::unsigned_one;
  auto answering = connection->serve(subject, [&](const bus::frame& frame) {
    model::heartbeat_ack ack;
    ack.lease_ns = 1;
    auto data = codec::encode(ack);
    if (mode != answer_kind::unsigned_one)
      signer.sign(data, access::answer_subject(subject, frame.data));
    if (kept.empty() && mode == answer_kind::right) kept = data;
    static_cast<void>(
        connection->respond(frame, mode == answer_kind::of_another_request ? kept : data));
  });
  ASSERT_TRUE(answering);
  const auto ask = [&](std::int64_t said_ns, answer_kind how) {
    mode = how;
    auto out = ec::timeout;
    caf::scoped_actor asker{system};
    asker->send(agent, atom::heartbeat_v, model::agent_heartbeat{"c", {1}, {7}, said_ns});
    settle();
    asker->receive([&](const model::heartbeat_ack&) { out = ec::none; },
                   [&](const caf::error& err) { out = from_caf(err).code; },
                   caf::after(0s) >> [] {});
    return out;
  };
  EXPECT_EQ(ask(1, answer_kind::unsigned_one), ec::unavailable) << "as if it had been lost";
  EXPECT_EQ(ask(2, answer_kind::right), ec::none);
  EXPECT_EQ(ask(3, answer_kind::of_another_request), ec::unavailable);
  EXPECT_EQ(refused(), 2u);
}

TEST_F(signed_orders, of_a_later_claim_begin_their_numbers_anew) {
  const auto frame = [](std::uint64_t number) {
    std::string out = "x";
    order_number::append(out, number);
    return out + std::string(66, 's');
  };
  model::agent_orders orders;
  orders.epoch = {3};
  order_number seen;
  EXPECT_TRUE(seen.is_newer(frame(500), orders));
  EXPECT_FALSE(seen.is_newer(frame(500), orders));
  EXPECT_FALSE(seen.is_newer(frame(499), orders));
  EXPECT_TRUE(seen.is_newer(frame(501), orders));
  orders.epoch = {4};
  EXPECT_TRUE(seen.is_newer(frame(1), orders));
  EXPECT_FALSE(seen.is_newer(frame(1), orders));
  EXPECT_FALSE(seen.is_newer("", orders));
}

}  // namespace argosy::actors
