// SPDX-License-Identifier: Apache-2.0
// The base of tests on a nats-server that runs from what `argosyd init` wrote.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/access/credentials.hpp"
#include "runtime/access/identity.hpp"
#include "runtime/access/nkey.hpp"
#include "runtime/bus/nats/session.hpp"
#include "runtime/bus/nats/signing.hpp"
#include "tests/support/process/deployment_fixture.hpp"
#include "tests/support/process/free_port.hpp"

namespace argosy::testing {

class access_fixture : public deployment_fixture {
 protected:
  void SetUp() override {
    const auto made = world.program({"argosyd",
                                     "init",
                                     folder().string(),
                                     "--listen",
                                     "127.0.0.1:" + std::to_string(port_),
                                     "--cluster",
                                     "c1",
                                     "--cluster",
                                     "c2",
                                     "--user",
                                     "eve:viewer",
                                     "--user",
                                     "alice",
                                     "--user",
                                     "bob",
                                     "--user",
                                     "root:operator",
                                     "--user",
                                     "dev:owner",
                                     "--user",
                                     "ten:tenant",
                                     "--user",
                                     "olga:tenant"});
    ASSERT_EQ(made.code, 0) << made.err;
    said_ = made.out;
    nats_ = world.start_program({"/usr/bin/env", "nats-server", "-c", file("nats-server.conf")},
                                "nats-server");
    ASSERT_TRUE(eventually([&] { return open("argosyd") != nullptr; }))
        << content_of(world.folder() / "nats-server.log");
  }

  [[nodiscard]] std::filesystem::path folder() const { return world.folder() / "made"; }
  [[nodiscard]] std::string file(const std::string& name) const {
    return (folder() / name).string();
  }
  /// A copy of argosyd's settings with which several may serve on one machine.
  [[nodiscard]] std::string settings_with_health() {
    return world.write("made/more.yaml",
                       content_of(file("argosyd.yaml")) + "health:\n  listen: 127.0.0.1:0\n");
  }
  /// An argosyd with these settings, once it serves.
  [[nodiscard]] child serve(const std::string& settings) {
    auto out = world.start_program(
        {"argosyd", "--config", settings, "--data-dir", world.data_dir().string(), "--ready-file",
         world.ready_file().string()},
        "argosyd");
    EXPECT_TRUE(eventually([&] { return std::filesystem::exists(world.ready_file()); }))
        << world.log();
    return out;
  }
  [[nodiscard]] std::string url() const { return "nats://127.0.0.1:" + std::to_string(port_); }

  /// A connection of whoever has this file of credentials/; of nobody if it is empty. Null when the
  /// server refuses it.
  [[nodiscard]] std::unique_ptr<bus::nats_session> open(const std::string& who) const {
    bus::nats_settings settings{.url = url()};
    if (!who.empty()) {
      const auto found = access::read_credentials(folder() / "credentials" / who);
      if (!found || !bus::sign_as(*found, settings)) return nullptr;
    }
    auto made = bus::nats_session::open(settings);
    if (!made) refused_ = to_string(made.error());
    return made ? std::move(*made) : nullptr;
  }

  /// argosyctl as this user.
  [[nodiscard]] outcome as(const std::string& user, std::vector<std::string> words) const {
    std::vector<std::string> all{
        "/usr/bin/env", "ARGOSY_CREDENTIALS=" + file("credentials/user-" + user),
        "ARGOSY_SERVER=" + url(), std::string{ARGOSY_BIN_DIR} + "/argosyctl"};
    all.insert(all.end(), words.begin(), words.end());
    return world.program(std::move(all));
  }

  int port_ = free_port();
  std::string said_;
  mutable std::string refused_;  ///< Why the last one was refused.
  child nats_;
};

}  // namespace argosy::testing
