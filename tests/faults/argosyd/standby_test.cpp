// SPDX-License-Identifier: Apache-2.0
// Goal: a control plane that waits takes over what is whole, and never in place of one that has
// more: whatever becomes of the log, everything acknowledged is there when the old leader is back.
// Method: two real argosyd with a data directory each on one nats-server, whose log is lost, set
// back, or started anew, and leaders that are killed or hang.
#include <map>

#include "tests/faults/argosyd/own_server_fixture.hpp"

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class standbys : public own_server_fixture {
 protected:
  void TearDown() override {
    if (!HasFailure()) return;
    for (const auto& [name, count] : started) std::cerr << "--- " << name << "\n" << log_of(name);
  }

  fs::path dir(const std::string& name) const { return world.folder() / name; }
  fs::path ready(const std::string& name) const { return world.folder() / (name + ".ready"); }
  fs::path log_file(const std::string& name) const {
    return world.folder() / (name + std::to_string(started.at(name)) + ".log");
  }
  std::string log_of(const std::string& name) const { return content_of(log_file(name)); }
  bool says(const std::string& name, const std::string& text, std::chrono::seconds limit = 30s) {
    return eventually([&] { return log_of(name).find(text) != std::string::npos; }, limit);
  }
  bool leads(const std::string& name) {
    return eventually([&] { return fs::exists(ready(name)); }, 40s);
  }

  std::vector<std::string> words(const std::string& url, const std::string& name,
                                 const fs::path& key) const {
    const auto config = world.write(
        name + ".yaml", "journal:\n  logBytesMax: 64MiB\n  keyFile: " + key.string() + "\n" +
                            journal + "leader:\n  takeover: 3s\nhealth:\n  listen: 127.0.0.1:0\n");
    return {"argosyd", "--config", config, "--nats", url, "--data-dir", dir(name).string()};
  }
  child begin(const std::string& name) { return begin(name, world.folder() / "log.key"); }
  child begin(const std::string& name, const fs::path& key) {
    return begin_at(server.url(), name, key);
  }
  child begin_at(const std::string& url, const std::string& name, const fs::path& key) {
    ++started[name];
    fs::remove(ready(name));
    auto all = words(url, name, key);
    all.insert(all.end(), {"--ready-file", ready(name).string()});
    return world.start_program(all, name + std::to_string(started[name]));
  }
  void finish(child& which) {
    which.signal(SIGKILL);
    static_cast<void>(which.wait(10s));
  }

  /// One leads with the queue q and a job, and b waits behind it.
  void lead_and_wait(bool b_led_before) {
    if (b_led_before) {
      b = begin("b");
      ASSERT_TRUE(leads("b"));
      a = begin("a");
      ASSERT_TRUE(says("a", "another argosyd leads"));
      finish(b);
      ASSERT_TRUE(leads("a"));
    } else {
      a = begin("a");
      ASSERT_TRUE(leads("a"));
    }
    ASSERT_EQ(ctl({"queue", "create", "q"}).code, 0);
    submit(1);
    b = begin("b");
    ASSERT_TRUE(says("b", "another argosyd leads"));
  }
  /// Sets the log back to before the last changes, as a power cut does.
  void set_back() {
    server.kill();
    fs::copy(server.folder() / "jetstream", world.folder() / "older", fs::copy_options::recursive);
    server.restart();
    ASSERT_TRUE(eventually([&] { return ctl({"get", "queues"}).code == 0; }, 20s));
    for (int i = 0; i < 3; ++i) submit(1);
    server.kill();
    fs::remove_all(server.folder() / "jetstream");
    fs::copy(world.folder() / "older", server.folder() / "jetstream", fs::copy_options::recursive);
    server.restart();
  }
  /// Nothing is lost: the old leader comes back with everything, and the other one waits behind it.
  void expect_return(std::size_t jobs_before) {
    EXPECT_FALSE(fs::exists(ready("b"))) << "it led without what was acknowledged";
    EXPECT_TRUE(b.running());
    a = begin("a");
    ASSERT_TRUE(leads("a"));
    EXPECT_EQ(jobs(), jobs_before);
    submit(1);
    EXPECT_EQ(jobs(), jobs_before + 1);
  }
  /// While nobody leads, b's metrics show that it cannot, and status says so with these words.
  void expect_told(const std::string& words) {
    EXPECT_TRUE(eventually(
        [&] {
          return page("b", "/metrics").find("argosy_standbys{state=\"unable\"} 1") !=
                 std::string::npos;
        },
        10s));
    const auto told = ctl({"status"});
    EXPECT_NE(told.err.find("no control plane leads"), std::string::npos) << told.err;
    EXPECT_NE(told.err.find(words), std::string::npos) << told.err;
  }
  /// The leader says of all that wait that their stores have all that it has.
  void expect_followed() {
    EXPECT_TRUE(eventually(
        [&] {
          return ctl({"status"}).out.find("follows and has all of the log") != std::string::npos;
        },
        30s))
        << ctl({"status"}).out;
  }
  /// Whether there is a copy of the store from this generation of the log.
  bool has_copy_of(const std::string& name, unsigned generation) const {
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator{dir(name) / "snapshots", failed})
      if (entry.path().filename().string().starts_with(std::to_string(generation) + "-"))
        return true;
    return false;
  }
  std::string readiness(const std::string& name) const { return page(name, "/readyz"); }
  std::string page(const std::string& name, const std::string& path) const {
    launch how;
    const auto port = lines_of(content_of(dir(name) / "health.port"));
    if (port.empty()) return {};
    how.words = {"/usr/bin/curl", "-sS", "--max-time", "5",
                 "http://127.0.0.1:" + port.front() + path};
    return testing::run(how, world.folder(), 20s).out;
  }

  std::map<std::string, int> started;
  child a;
  child b;
};

class standbys_and_logs : public standbys, public ::testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(led_before, standbys_and_logs, ::testing::Bool(),
                         [](const auto& one) { return one.param ? "yes" : "no"; });

TEST_P(standbys_and_logs, leave_a_log_that_was_set_back_to_the_old_leader) {
  lead_and_wait(GetParam());
  set_back();
  ctl({"queue", "create", "r"});
  ASSERT_EQ(a.wait(40s), 1) << "its next write finds that the log ends too early";
  EXPECT_TRUE(says("b", "this process could not take over"));
  expect_return(4);
}

TEST_P(standbys_and_logs, leave_a_log_that_is_lost_to_the_old_leader) {
  lead_and_wait(GetParam());
  submit(3);
  delete_stream("ARGOSY_LOG_0001");
  ctl({"queue", "create", "r"});
  ASSERT_EQ(a.wait(40s), 1);
  EXPECT_TRUE(says("b", "this process could not take over"));
  expect_return(4);
}

TEST_F(standbys, leave_a_server_that_was_started_anew_to_the_old_leader) {
  lead_and_wait(false);
  finish(a);
  server.restart();
  EXPECT_TRUE(says("b", "the nats-server was started anew"));
  EXPECT_TRUE(eventually(
      [&] { return readiness("b").find("the nats-server was started anew") != std::string::npos; },
      10s))
      << readiness("b");
  expect_told("the nats-server was started anew");
  expect_return(1);
}

TEST_F(standbys, take_over_a_whole_log_and_give_it_back) {
  lead_and_wait(false);
  submit(2);
  finish(a);
  ASSERT_TRUE(leads("b"));
  EXPECT_EQ(jobs(), 3u);
  submit(1);
  a = begin("a");
  ASSERT_TRUE(says("a", "another argosyd leads"));
  finish(b);
  ASSERT_TRUE(leads("a"));
  EXPECT_EQ(jobs(), 4u);
}

TEST_F(standbys, wait_for_a_hung_leader_once) {
  lead_and_wait(false);
  a.signal(SIGSTOP);
  ASSERT_TRUE(leads("b"));
  EXPECT_EQ(log_of("b").find("another argosyd was first"), std::string::npos);
  EXPECT_EQ(jobs(), 1u);
  a.signal(SIGCONT);
  EXPECT_TRUE(says("a", "another argosyd leads; waiting"))
      << "the old leader finds that it was deposed, and follows";
}

TEST_F(standbys, leave_a_log_that_is_lost_to_the_one_that_deposed_them) {
  lead_and_wait(false);
  a.signal(SIGSTOP);
  ASSERT_TRUE(leads("b"));
  a.signal(SIGCONT);
  ASSERT_TRUE(says("a", "another argosyd leads; waiting"));
  submit(2);
  delete_stream("ARGOSY_LOG_0001");
  ASSERT_EQ(b.wait(40s), 1) << "it finds out without any command";
  EXPECT_TRUE(says("a", "this process could not take over"));
  EXPECT_FALSE(fs::exists(ready("a"))) << "it led without what was acknowledged";
  b = begin("b");
  ASSERT_TRUE(leads("b"));
  EXPECT_EQ(jobs(), 3u);
}

TEST_F(standbys, say_at_once_that_their_key_is_another_one_and_never_lead) {
  lead_and_wait(false);
  finish(b);
  b = begin("b", world.folder() / "other.key");
  EXPECT_TRUE(says("b", "is not that of the leader's log"));
  EXPECT_TRUE(eventually(
      [&] { return ctl({"status"}).out.find("could not take over") != std::string::npos; }, 10s))
      << ctl({"status"}).out;
  finish(a);
  EXPECT_TRUE(
      eventually([&] { return readiness("b").find("nobody leads") != std::string::npos; }, 20s))
      << readiness("b");
  expect_told("could not take over: ");
  expect_return(1);
}

TEST_F(standbys, wait_on_while_the_log_of_another_control_plane_stands_there) {
  lead_and_wait(false);
  finish(b);
  fs::remove_all(dir("b"));
  b = begin("b");
  ASSERT_TRUE(says("b", "another argosyd leads"));
  finish(a);
  nats_server strange;
  auto stranger = begin_at(strange.url(), "stranger", world.folder() / "strange.key");
  ASSERT_TRUE(leads("stranger"));
  finish(stranger);
  strange.kill();
  server.kill();
  const auto own = server.folder() / "jetstream";
  fs::rename(own, world.folder() / "own");
  fs::copy(strange.folder() / "jetstream", own, fs::copy_options::recursive);
  server.restart();
  EXPECT_TRUE(says("b", "the nats-server was started anew"));
  EXPECT_TRUE(b.running());
  server.kill();
  fs::remove_all(own);
  fs::rename(world.folder() / "own", own);
  server.restart();
  expect_return(1);
}

TEST_F(standbys, fetch_a_snapshot_where_the_log_no_longer_begins_at_their_store) {
  journal = "  generationBytes: 1MiB\n";
  lead_and_wait(false);
  finish(b);
  std::size_t submitted = 1;
  // The first generation is emptied when there is a copy of the store from behind the second.
  ASSERT_TRUE(eventually(
      [&] {
        submit(500);
        submitted += 500;
        return has_copy_of("a", 3);
      },
      60s));
  b = begin("b");
  EXPECT_TRUE(says("b", "was replaced by a snapshot of the leader's", 60s));
  expect_followed();
  finish(a);
  ASSERT_TRUE(leads("b"));
  EXPECT_EQ(jobs(), submitted);
}

TEST_F(standbys, have_what_was_acknowledged_when_the_leader_and_the_log_are_gone) {
  lead_and_wait(false);
  submit(3);
  expect_followed();
  finish(a);
  fs::remove_all(dir("a"));
  server.kill();
  fs::remove_all(server.folder() / "jetstream");
  server.restart();
  EXPECT_TRUE(says("b", "the nats-server was started anew"));
  EXPECT_FALSE(fs::exists(ready("b"))) << "nobody but a person knows that the leader is gone";
  finish(b);
  auto recover = words(server.url(), "b", world.folder() / "log.key");
  recover.insert(recover.end(), {"recover", "--accept-loss"});
  const auto done = world.program(recover);
  EXPECT_EQ(done.code, 0) << done.out << done.err;
  b = begin("b");
  ASSERT_TRUE(leads("b"));
  EXPECT_EQ(jobs(), 4u);
}

TEST_F(standbys, an_operator_decides_when_the_old_leader_is_gone_for_good) {
  lead_and_wait(false);
  finish(a);
  server.restart();
  EXPECT_TRUE(says("b", "the nats-server was started anew"));
  finish(b);
  auto recover = words(server.url(), "b", world.folder() / "log.key");
  recover.push_back("recover");
  const auto told = world.program(recover);
  EXPECT_EQ(told.code, 3) << told.err;
  EXPECT_NE(told.out.find("argosyd waits and does not lead"), std::string::npos) << told.out;
  recover.push_back("--accept-loss");
  const auto done = world.program(recover);
  EXPECT_EQ(done.code, 0) << done.out << done.err;
  b = begin("b");
  ASSERT_TRUE(leads("b"));
  EXPECT_EQ(jobs(), 1u);
}

}  // namespace

}  // namespace argosy::testing
