// SPDX-License-Identifier: Apache-2.0
// Goal: a log or a store that fills refuses new jobs in time and takes them again after a start
// with more room, and nothing accepted is lost. Method: a real argosyd with little room, also on a
// nats-server that gives its account little.
#include <signal.h>

#include "runtime/bus/nats/nats_bus.hpp"
#include "tests/support/nats/nats_server.hpp"
#include "tests/support/process/deployment_fixture.hpp"

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;

class room : public deployment_fixture {
 protected:
  explicit room(const nats_server::options& chosen = {}) : server(chosen) {}

  child start_with(const std::string& keys) {
    std::filesystem::remove(world.ready_file());
    const auto config = world.write("argosyd.yaml", keys + "health:\n  listen: 127.0.0.1:0\n");
    auto served = world.start_program(
        {"argosyd", "--config", config, "--nats", server.url(), "--data-dir",
         world.data_dir().string(), "--ready-file", world.ready_file().string()},
        "argosyd");
    EXPECT_TRUE(eventually([&] { return std::filesystem::exists(world.ready_file()); })) << said();
    return served;
  }
  std::string said() const { return content_of(world.folder() / "argosyd.log"); }
  outcome ctl(std::vector<std::string> words) const {
    words.insert(words.end(), {"--server", server.url(), "--timeout", "20s"});
    return world.ctl(words);
  }
  /// Submits jobs that nobody runs.
  outcome submit(std::size_t count) const {
    const auto file = world.write(
        "jobs.yaml", deployment::jobs({{"true", "", "count: " + std::to_string(count)}}));
    return ctl({"submit", file});
  }
  /// Submits until that is refused; returns how many jobs were accepted.
  std::size_t fill(outcome& refused, std::size_t at_once) const {
    for (std::size_t done = 0; done < 50'000; done += at_once) {
      refused = submit(at_once);
      if (refused.code != 0) return done;
    }
    ADD_FAILURE() << "nothing was refused";
    return 0;
  }
  std::size_t known() const {
    return lines_of(ctl({"get", "jobs", "--all", "-o", "name"}).out).size();
  }

  /// Ends argosyd, starts it with more room, and expects that it takes as many jobs more as are
  /// given.
  void expect_more_room(child& served, const std::string& keys, std::size_t accepted,
                        std::size_t more) {
    served.signal(SIGTERM);
    EXPECT_EQ(served.wait(10s), 0);
    auto again = start_with(keys);
    EXPECT_EQ(submit(more).code, 0) << said();
    EXPECT_EQ(known(), accepted + more);
    again.signal(SIGTERM);
    EXPECT_EQ(again.wait(10s), 0);
  }

  nats_server server;
};

TEST_F(room, of_a_log_grows_with_its_setting) {
  auto served = start_with("journal:\n  logBytesMax: 1MiB\n");
  ASSERT_EQ(ctl({"queue", "create", "q"}).code, 0);
  outcome refused;
  auto accepted = fill(refused, 50);
  EXPECT_GT(accepted, 0u) << refused.err;
  EXPECT_NE(refused.err.find("journal.logBytesMax"), std::string::npos) << refused.err;
  EXPECT_LT(refused.took, 10s);
  EXPECT_NE(said().find("the log fills"), std::string::npos) << said();
  // A log that rolls over has room again for a little.
  // Small steps leave what is kept for changes of what exists.
  const auto refuses_a_queue = [&, tries = 0]() mutable {
    accepted += fill(refused, 5);
    return ctl({"queue", "create", "r" + std::to_string(++tries)}).code == refused.code;
  };
  EXPECT_TRUE(eventually(refuses_a_queue)) << "a queue is new as well";
  EXPECT_EQ(ctl({"queue", "update", "q", "--cordon"}).code, 0) << "one that exists can be changed";
  expect_more_room(served, "journal:\n  logBytesMax: 16MiB\n", accepted, 50);
}

TEST_F(room, of_a_store_grows_with_its_setting) {
  auto served = start_with("journal:\n  logBytesMax: 256MiB\nstore:\n  mapSize: 16MiB\n");
  ASSERT_EQ(ctl({"queue", "create", "q"}).code, 0);
  outcome refused;
  const auto accepted = fill(refused, 500);
  EXPECT_GT(accepted, 1'000u) << refused.err;
  EXPECT_NE(refused.err.find("store.mapSize"), std::string::npos) << refused.err;
  EXPECT_EQ(refused.err.find("MDB_MAP_FULL"), std::string::npos) << refused.err;
  EXPECT_TRUE(served.running()) << said();
  EXPECT_NE(said().find("the store fills"), std::string::npos) << said();
  expect_more_room(served, "journal:\n  logBytesMax: 256MiB\nstore:\n  mapSize: 64MiB\n", accepted,
                   500);
}

/// An account of 8 MiB in which others have a stream without a limit, as on a server elsewhere.
struct room_of_an_account : room {
  room_of_an_account()
      : room({.more = "accounts: {A: {jetstream: {max_file: 8MiB}, "
                      "users: [{user: a, password: a}]}}\nno_auth_user: a\n"}) {}

  void ask(const std::string& subject, const std::string& data = {}) const {
    const auto connection = bus::connect_nats({.url = server.url()});
    ASSERT_TRUE(connection);
    const auto got = (*connection)->request_sync(subject, data, {}, 5s);
    ASSERT_TRUE(got) << got.error().detail;
    EXPECT_EQ(got->data.find("error"), std::string::npos) << got->data;
  }
};

TEST_F(room_of_an_account, that_others_fill_refuses_new_jobs_in_time_and_loses_none) {
  auto served = start_with("journal:\n  logBytesMax: 4MiB\n");
  ASSERT_EQ(ctl({"queue", "create", "q"}).code, 0);
  ASSERT_EQ(submit(50).code, 0);
  ask("$JS.API.STREAM.CREATE.O", R"({"name":"O","subjects":["others"],"storage":"file"})");
  for (int i = 0; i < 14; ++i) ask("others", std::string(std::size_t{512} << 10, 'x'));
  const auto warned = [&] { return said().find("argosyd's account") != std::string::npos; };
  ASSERT_TRUE(eventually(warned, 20s)) << said();
  outcome refused;
  const auto accepted = 50 + fill(refused, 50);
  EXPECT_NE(refused.err.find("the streams of the log's account"), std::string::npos) << refused.err;
  EXPECT_EQ(said().find("the log is full"), std::string::npos) << "it ended before that";
  EXPECT_NE(ctl({"status"}).out.find("argosyd's account"), std::string::npos);
  served.signal(SIGKILL);
  EXPECT_NE(served.wait(10s), 0);
  served = start_with("journal:\n  logBytesMax: 4MiB\n");
  EXPECT_EQ(known(), accepted);
  ask("$JS.API.STREAM.PURGE.O");
  EXPECT_TRUE(eventually([&] { return submit(50).code == 0; }, 20s));
  EXPECT_EQ(known(), accepted + 50);
  served.signal(SIGTERM);
  EXPECT_EQ(served.wait(10s), 0);
}

}  // namespace

}  // namespace argosy::testing
