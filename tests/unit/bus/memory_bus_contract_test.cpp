// SPDX-License-Identifier: Apache-2.0
// Goal: the bus in memory keeps the contract of the bus.
// Method: the shared contract over a memory_broker with real time.
#include <gtest/gtest.h>

#include "runtime/bus/in_memory.hpp"
#include "tests/support/bus/request_contract.hpp"
#include "tests/support/bus/stream_contract.hpp"

namespace argosy::testing {
namespace {

class memory_bus final : public bus_under_test {
 public:
  memory_bus() { broker_.deny(denied_subject()); }
  std::shared_ptr<bus::connection> connect() override { return broker_.connect(); }
  void set_online(bool online) override { broker_.set_online(online); }

 private:
  bus::memory_broker broker_{{.manual_time = false}};
};

const bus_kind memory_kind{"memory", [] { return std::make_unique<memory_bus>(); }};

INSTANTIATE_TEST_SUITE_P(memory, bus_contract, ::testing::Values(memory_kind), kind_name);
INSTANTIATE_TEST_SUITE_P(memory, stream_contract, ::testing::Values(memory_kind), kind_name);

}  // namespace
}  // namespace argosy::testing
