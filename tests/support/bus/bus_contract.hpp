// SPDX-License-Identifier: Apache-2.0
// This file says what every implementation of the bus must do. A test program instantiates
// `bus_contract` with a factory for its implementation.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include "runtime/bus/connection.hpp"
#include "tests/support/bus/waiting.hpp"

namespace argosy::testing {

/// A bus with its server that is being tested.
class bus_under_test {
 public:
  virtual ~bus_under_test() = default;
  [[nodiscard]] virtual std::shared_ptr<bus::connection> connect() = 0;
  /// Ends the server, or brings it back.
  virtual void set_online(bool online) = 0;
  /// A subject that the server refuses both to publish and to serve.
  [[nodiscard]] virtual std::string denied_subject() const { return "denied.x"; }
};

struct bus_kind {
  std::string name;
  std::function<std::unique_ptr<bus_under_test>()> make;
};

class bus_contract : public ::testing::TestWithParam<bus_kind> {
 protected:
  using outcome = result<bus::frame>;
  static constexpr std::chrono::milliseconds request_limit{5'000};

  bus_contract() : bus_(GetParam().make()), server_(bus_->connect()), client_(bus_->connect()) {}

  [[nodiscard]] bus::subscription serve(const std::string& pattern, bus::frame_handler handler) {
    auto made = server_->serve(pattern, std::move(handler));
    EXPECT_TRUE(made.has_value()) << to_string(made.error());
    return made ? std::move(*made) : bus::subscription{};
  }
  /// Answers every request with the words of `answer`.
  [[nodiscard]] bus::subscription serve_echo(const std::string& pattern) {
    return serve(pattern, [this](const bus::frame& asked) {
      EXPECT_TRUE(server_->respond(asked, "echo " + asked.data, asked.headers));
    });
  }
  [[nodiscard]] outcome ask(const std::string& subject, const std::string& data,
                            const bus::headers& with = {}) {
    return client_->request_sync(subject, data, with, request_limit);
  }
  /// Waits until the link of the client has this status.
  [[nodiscard]] bool wait_for(bus::link_status wanted) {
    collector<bool> reached;
    client_->on_status([&](bus::link_status now) {
      if (now == wanted) reached.add(true);
    });
    const bool done = client_->status() == wanted || reached.wait_for(1);
    client_->on_status(nullptr);
    return done;
  }

  std::unique_ptr<bus_under_test> bus_;
  std::shared_ptr<bus::connection> server_;
  std::shared_ptr<bus::connection> client_;
};

inline void PrintTo(const bus_kind& kind, std::ostream* out) {
  *out << kind.name;
}

inline std::string kind_name(const ::testing::TestParamInfo<bus_kind>& info) {
  return info.param.name;
}

}  // namespace argosy::testing
