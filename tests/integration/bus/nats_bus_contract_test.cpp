// SPDX-License-Identifier: Apache-2.0
// Goal: the bus over NATS keeps the contract of the bus.
// Method: the shared contract over a nats-server of the test's own, which refuses one subject.
#include <gtest/gtest.h>

#include "runtime/bus/nats/nats_bus.hpp"
#include "tests/support/bus/request_contract.hpp"
#include "tests/support/bus/stream_contract.hpp"
#include "tests/support/nats/nats_server.hpp"

namespace argosy::testing {
namespace {

constexpr std::string_view permissions = R"(
authorization {
  users: [{ user: u, password: p, permissions: {
    publish: { deny: ["denied.>"] }, subscribe: { deny: ["denied.>"] } } }]
}
)";

class nats_bus final : public bus_under_test {
 public:
  std::shared_ptr<bus::connection> connect() override {
    auto made =
        bus::connect_nats({.url = "nats://u:p@127.0.0.1:" + std::to_string(server_.port())});
    EXPECT_TRUE(made.has_value()) << to_string(made.error());
    return made ? std::move(*made) : nullptr;
  }
  void set_online(bool online) override { online ? server_.restart() : server_.kill(); }

 private:
  nats_server server_{{.jetstream = false, .more = std::string{permissions}}};
};

const bus_kind nats_kind{"nats", [] { return std::make_unique<nats_bus>(); }};

INSTANTIATE_TEST_SUITE_P(nats, bus_contract, ::testing::Values(nats_kind), kind_name);
INSTANTIATE_TEST_SUITE_P(nats, stream_contract, ::testing::Values(nats_kind), kind_name);

}  // namespace
}  // namespace argosy::testing
