// SPDX-License-Identifier: Apache-2.0
// Goal: three planes are one control plane that loses nothing with any one of their machines,
// whatever becomes of the log, and needs a person only when two of them are gone. Method: three
// real argosyd with a data directory each on one nats-server; leaders that are killed, hang, or are
// gone with their disk, and a log that is lost or set back in the same moment.
#include <map>
#include <set>

#include "tests/faults/argosyd/own_server_fixture.hpp"

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class planes : public own_server_fixture {
 protected:
  void SetUp() override {
    begin("a");
    ASSERT_TRUE(eventually([&] { return leads("a"); }, 40s)) << log_of("a");
    ASSERT_EQ(ctl({"queue", "create", "q"}).code, 0);
    submit(1);
    begin("b");
    begin("c");
    expect_three();
  }
  void TearDown() override {
    if (!HasFailure()) return;
    for (const auto& [name, count] : started) std::cerr << "--- " << name << "\n" << log_of(name);
  }

  fs::path dir(const std::string& name) const { return world.folder() / name; }
  fs::path ready(const std::string& name) const { return world.folder() / (name + ".ready"); }
  std::string log_of(const std::string& name) const {
    return content_of(world.folder() / (name + std::to_string(started.at(name)) + ".log"));
  }
  std::vector<std::string> words(const std::string& name) const {
    const auto config = world.write(
        "plane-" + name + ".yaml",
        "journal:\n  commit: standby\n  logBytesMax: 64MiB\n  keyFile: " +
            (world.folder() / "log.key").string() +
            "\nhealth:\n  listen: 127.0.0.1:0\nlogging:\n  components:\n    standby: debug\n");
    return {"argosyd",    "--config",        config, "--nats", server.url(),
            "--data-dir", dir(name).string()};
  }
  void begin(const std::string& name) {
    ++started[name];
    fs::remove(ready(name));
    auto all = words(name);
    all.insert(all.end(), {"--ready-file", ready(name).string()});
    running[name] = world.start_program(all, name + std::to_string(started[name]));
  }
  /// As systemd does.
  void begin_what_ended() {
    for (auto& [name, process] : running)
      if (!process.running()) begin(name);
  }
  void kill(const std::string& name) {
    auto which = std::move(running.at(name));
    running.erase(name);
    which.signal(SIGKILL);
    static_cast<void>(which.wait(10s));
    fs::remove(ready(name));
  }
  bool leads(const std::string& name) const {
    return running.contains(name) && fs::exists(ready(name));
  }
  /// Who leads, when somebody does.
  std::string leader() {
    std::string out;
    EXPECT_TRUE(eventually(
        [&] {
          begin_what_ended();
          for (const auto& [name, process] : running)
            if (leads(name)) out = name;
          return !out.empty();
        },
        60s));
    return out;
  }
  std::string other_than(const std::string& one, const std::string& two = {}) const {
    for (const auto& [name, process] : running)
      if (name != one && name != two) return name;
    return {};
  }
  /// All that run are named and have everything.
  void expect_three() {
    EXPECT_TRUE(eventually(
        [&] {
          begin_what_ended();
          const auto told = ctl({"status"}).out;
          std::size_t have_all = 0;
          for (const auto& line : lines_of(told))
            if (line.find("follows and has all of the log") != std::string::npos) ++have_all;
          // One that is not named yet says so.
          return have_all == 2 && told.find("could not take over") == std::string::npos;
        },
        60s))
        << ctl({"status"}).out;
  }
  /// As it stands in the list of the control plane.
  std::string place_of(const std::string& name) {
    for (const auto& line : lines_of(ctl({"controlplane", "list", "-o", "cols=place"}).out))
      if (line.ends_with(dir(name).string())) return line;
    ADD_FAILURE() << name << " is in no list";
    return {};
  }
  void lose_log() {
    server.kill();
    fs::remove_all(server.folder() / "jetstream");
  }
  void expect_jobs(std::size_t count) {
    EXPECT_TRUE(eventually([&] { return jobs() == count; }, 30s)) << jobs();
  }

  std::map<std::string, int> started;
  std::map<std::string, child> running;
};

TEST_F(planes, go_on_when_the_leader_is_killed) {
  submit(3);
  for (int round = 0; round < 2; ++round) {
    const auto killed = leader();
    kill(killed);
    EXPECT_NE(leader(), killed);
    expect_jobs(4 + static_cast<std::size_t>(round));
    submit(1);
    begin(killed);
    expect_three();
  }
}

TEST_F(planes, go_on_when_the_leader_hangs_and_it_finds_out) {
  const auto hung = leader();
  auto which = std::move(running.at(hung));
  running.erase(hung);
  which.signal(SIGSTOP);
  EXPECT_NE(leader(), hung);
  submit(2);
  which.signal(SIGCONT);
  running[hung] = std::move(which);
  EXPECT_TRUE(eventually(
      [&] { return log_of(hung).find("another argosyd leads; waiting") != std::string::npos; },
      40s))
      << "the old leader finds that it was deposed, and follows";
  EXPECT_FALSE(fs::exists(ready(hung)));
  expect_three();
  EXPECT_EQ(started[hung], 1) << "it did not end";
  expect_jobs(3);
}

TEST_F(planes, hand_the_lead_to_whom_an_operator_names_and_go_on) {
  const auto first = leader();
  const auto next = other_than(first);
  const auto done = ctl({"controlplane", "handover", "--to", place_of(next), "--reason", "test"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_NE(done.out.find(dir(next).filename().string() + " ("), std::string::npos) << done.out;
  EXPECT_EQ(leader(), next);
  submit(1);
  expect_three();
  const auto drilled = ctl({"controlplane", "drill", "--yes"});
  EXPECT_EQ(drilled.code, 0) << drilled.err;
  EXPECT_EQ(lines_of(drilled.out).size(), 4U) << drilled.out;
  EXPECT_EQ(leader(), next) << "a drill ends where it began";
  for (const auto& [name, count] : started) EXPECT_EQ(count, 1) << name << " has ended";
  expect_jobs(2);
}

TEST_F(planes, take_another_in_place_of_one_that_is_forgotten) {
  const auto leads = leader();
  const auto gone = other_than(leads);
  const auto forget = [&] { return ctl({"controlplane", "forget", place_of(gone), "--yes"}); };
  EXPECT_NE(forget().err.find("is heard"), std::string::npos);
  kill(gone);
  EXPECT_TRUE(eventually(
      [&] {
        return forget().err.find("no argosyd waits that could take its place") != std::string::npos;
      },
      20s))
      << forget().err;
  begin("d");
  EXPECT_TRUE(eventually([&] { return forget().code == 0; }, 20s)) << forget().err;
  expect_three();
  submit(1);
  // Now any other one may burn.
  const auto second = other_than(leads, "d");
  kill(second);
  fs::remove_all(dir(second));
  submit(1);
  kill(leads);
  EXPECT_FALSE(eventually([&] { return fs::exists(ready("d")); }, 3s)) << "it is alone";
  begin(leads);
  EXPECT_NE(leader(), second);
  expect_jobs(3);
}

TEST_F(planes, lose_nothing_with_the_disk_of_the_leader_and_the_log) {
  submit(3);
  const auto gone = leader();
  kill(gone);
  lose_log();
  fs::remove_all(dir(gone));
  server.restart();
  EXPECT_NE(leader(), gone);
  expect_jobs(4);
  submit(1);
  // An empty one takes its place, and then another machine may burn.
  begin(gone);
  expect_three();
  const auto second = leader();
  kill(second);
  lose_log();
  fs::remove_all(dir(second));
  server.restart();
  EXPECT_NE(leader(), second);
  expect_jobs(5);
}

TEST_F(planes, lose_nothing_when_the_log_is_set_back_as_the_leader_burns) {
  server.kill();
  fs::copy(server.folder() / "jetstream", world.folder() / "older", fs::copy_options::recursive);
  server.restart();
  ASSERT_TRUE(eventually([&] { return ctl({"get", "queues"}).code == 0; }, 20s));
  submit(3);
  const auto gone = leader();
  kill(gone);
  lose_log();
  fs::remove_all(dir(gone));
  fs::copy(world.folder() / "older", server.folder() / "jetstream", fs::copy_options::recursive);
  server.restart();
  EXPECT_NE(leader(), gone);
  expect_jobs(4);
}

TEST_F(planes, accept_nothing_that_only_one_store_has) {
  const auto alone = leader();
  const auto first = other_than(alone);
  kill(first);
  submit(1);
  const auto second = other_than(alone);
  kill(second);
  EXPECT_TRUE(eventually(
      [&] {
        const auto got =
            world.ctl({"queue", "create", "r", "--server", server.url(), "--timeout", "1s"});
        return got.err.find("no other plane of the control plane confirms") != std::string::npos;
      },
      30s));
  begin(second);
  EXPECT_TRUE(eventually([&] { return ctl({"queue", "create", "s"}).code == 0; }, 40s));
  expect_jobs(2);
}

TEST_F(planes, need_a_person_when_two_are_gone) {
  submit(1);
  const auto first = leader();
  const auto second = other_than(first);
  const auto last = other_than(first, second);
  auto recover = words(last);
  recover.insert(recover.end(), {"recover", "--accept-loss"});
  kill(last);
  kill(first);
  const auto refused = world.program(recover);
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.err.find("lives and can go on with this one"), std::string::npos)
      << refused.out << refused.err;
  kill(second);
  for (const auto& name : {first, second}) fs::remove_all(dir(name));
  begin(last);
  EXPECT_TRUE(eventually(
      [&] { return ctl({"status"}).err.find("these planes do not answer") != std::string::npos; },
      20s))
      << ctl({"status"}).err;
  kill(last);
  const auto done = world.program(recover);
  EXPECT_EQ(done.code, 0) << done.out << done.err;
  begin(last);
  EXPECT_EQ(leader(), last);
  expect_jobs(2);
  submit(1);
  begin(first);
  begin(second);
  expect_three();
  expect_jobs(3);
}

}  // namespace

}  // namespace argosy::testing
