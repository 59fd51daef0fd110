// SPDX-License-Identifier: Apache-2.0
// Goal: the private server is private, keeps its port, and never outlives its owner unnoticed.
// Method: real servers in a temporary folder; the owner that is killed is a forked process.
#include "runtime/bus/server/private_server.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "runtime/access/nkey.hpp"
#include "runtime/access/server_plan.hpp"
#include "runtime/bus/nats/nats_bus.hpp"
#include "runtime/bus/nats/signing.hpp"
#include "runtime/bus/server/spawn.hpp"
#include "tests/support/bus/waiting.hpp"
#include "tests/support/signals.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::bus {
namespace {

using testing::patience;

class private_server_test : public ::testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<private_server> start() {
    auto made = private_server::start({.folder = folder_.path(), .accounts = accounts_});
    EXPECT_TRUE(made.has_value()) << to_string(made.error());
    return made ? std::move(*made) : nullptr;
  }
  [[nodiscard]] std::string remembered(const std::string& file) const {
    std::ifstream source{folder_.path() / file};
    std::string line;
    std::getline(source, line);
    return line;
  }

  testing::temp_folder folder_;
  std::string accounts_;
};

TEST_F(private_server_test, serves_the_members_of_its_account_and_nobody_else) {
  const auto key = access::make_nkey();
  ASSERT_TRUE(key);
  const access::credentials owner{{access::party::user, "o"}, key->seed};
  accounts_ = access::accounts_block({{access::role::owner, "o", key->public_key}});
  const auto server = start();
  ASSERT_TRUE(server);
  nats_settings settings{.url = server->url()};
  EXPECT_EQ(connect_nats(settings).error().code, ec::denied);
  ASSERT_TRUE(sign_as(owner, settings));
  const auto connected = connect_nats(settings);
  EXPECT_TRUE(connected) << to_string(connected.error());
  struct stat found {};
  ASSERT_EQ(::stat((folder_.path() / "nats.conf").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
}

TEST_F(private_server_test, keeps_its_port_across_restarts) {
  auto server = start();
  ASSERT_TRUE(server);
  const auto url = server->url();
  const auto pid = server->pid();
  server.reset();
  EXPECT_FALSE(is_running(pid));
  server = start();
  ASSERT_TRUE(server);
  EXPECT_EQ(server->url(), url);
  testing::send_signal(server->pid(), SIGKILL);
  ASSERT_TRUE(wait_until_gone(server->pid(), patience));
  ASSERT_FALSE(server->alive());
  ASSERT_TRUE(server->ensure_running());
  EXPECT_EQ(server->url(), url);
  EXPECT_TRUE(connect_nats({.url = url}).has_value());
}

TEST_F(private_server_test, takes_another_port_when_its_own_is_taken) {
  auto first = start();
  ASSERT_TRUE(first);
  const auto port = first->port();
  first.reset();
  const testing::temp_folder other;
  const auto squatter = server_process::start({.folder = other.path(), .port = port});
  ASSERT_TRUE(squatter.has_value()) << to_string(squatter.error());
  const auto second = start();
  ASSERT_TRUE(second);
  EXPECT_NE(second->port(), port);
  EXPECT_TRUE(connect_nats({.url = second->url()}).has_value());
}

TEST_F(private_server_test, ends_a_survivor_before_it_starts) {
  server_config config{.folder = folder_.path(), .token = "old"};
  auto survivor = server_process::start(config);
  ASSERT_TRUE(survivor.has_value());
  const auto pid = (*survivor)->pid();
  std::ofstream{folder_.path() / "nats.pid"} << pid << '\n';
  (*survivor)->signal(SIGSTOP);
  const auto server = start();
  ASSERT_TRUE(server);
  EXPECT_NE(server->pid(), pid);
  EXPECT_FALSE(is_running(pid));
}

TEST_F(private_server_test, leaves_a_process_alone_that_is_not_its_server) {
  const auto innocent = spawn_for_life({"/bin/sleep", "60"}, folder_.path() / "sleep.out");
  ASSERT_TRUE(innocent.has_value());
  std::ofstream{folder_.path() / "nats.pid"} << *innocent << '\n';
  const auto server = start();
  ASSERT_TRUE(server);
  EXPECT_TRUE(is_running(*innocent));
  testing::send_signal(*innocent, SIGKILL);
  ::waitpid(*innocent, nullptr, 0);
}

TEST_F(private_server_test, ends_with_its_killed_owner) {
  const auto owner = ::fork();
  ASSERT_GE(owner, 0);
  if (owner == 0) {
    auto server = private_server::start({.folder = folder_.path()});
    if (server) ::raise(SIGKILL);
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(owner, &status, 0), owner);
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto pid = static_cast<pid_t>(std::stol(remembered("nats.pid")));
  EXPECT_TRUE(wait_until_gone(pid, patience));
}

TEST_F(private_server_test, says_when_the_server_is_not_installed_or_does_not_start) {
  const auto absent = private_server::start({.folder = folder_.path(), .program = "nats-server-x"});
  ASSERT_FALSE(absent.has_value());
  EXPECT_EQ(absent.error().code, ec::not_found);
  EXPECT_NE(absent.error().detail.find("apt-get install nats-server"), std::string::npos);
  const auto broken =
      server_process::start({.folder = folder_.path(), .more = "no_such_option: 1\n"});
  ASSERT_FALSE(broken.has_value());
  EXPECT_EQ(broken.error().code, ec::unavailable);
  EXPECT_NE(broken.error().detail.find("no_such_option"), std::string::npos)
      << broken.error().detail;
}

}  // namespace
}  // namespace argosy::bus
