// SPDX-License-Identifier: Apache-2.0
// Goal: a deployment whose configuration gives the rights of older versions is found, by
// `config check`, in the log and by `argosyctl status`, and is mended without a restart of the
// nats-server; and so is a nats-server that runs on with other rights than its files give. Method:
// such a configuration in place of that which `argosyd init` wrote, and keys that do what they must
// not.
#include "tests/integration/access/access_fixture.hpp"
#include "tests/support/nats/raw_nats.hpp"

namespace argosy::testing {

namespace {

class older_rights : public access_fixture {
 protected:
  void SetUp() override {
    access_fixture::SetUp();
    if (HasFatalFailure()) return;
    // One file with everything, and agents that may answer whatever they hear.
    auto conf = content_of(file("nats-server.conf"));
    conf.erase(conf.find("pid_file"), conf.find("max_payload") - conf.find("pid_file"));
    conf.erase(conf.find("include "));
    auto accounts = content_of(file("accounts.conf"));
    accounts.erase(0, accounts.find("accounts {"));
    const auto agent = accounts.find("permissions: {", accounts.find("# agent/c1"));
    accounts.insert(accounts.find('\n', agent), "\n allow_responses: { max: -1, expires: \"2m\" }");
    world.write("made/nats-server.conf", conf + "# mine\n" + accounts);
    std::filesystem::remove(file("accounts.conf"));
    nats_.signal(SIGHUP);
    ASSERT_TRUE(eventually([&] { return agent_may_do_everything(); })) << nats_log();
  }
  [[nodiscard]] std::string nats_log() const {
    return content_of(world.folder() / "nats-server.log");
  }
  [[nodiscard]] bool agent_may_do_everything() const {
    const auto key = access::read_credentials(folder() / "credentials" / "agent-c1").value();
    raw_nats thief{static_cast<std::uint16_t>(port_), key};
    thief.send("SUB argosy.agent.c1.raw 2\r\n");
    thief.publish("argosy.agent.c1.raw", "$JS.API.INFO", "", "");
    return thief.heard("argosy.agent.c1.raw") && thief.may_publish("$JS.API.INFO");
  }
};

TEST_F(older_rights, are_told_and_mended) {
  const auto settings = settings_with_health();
  const auto cure = "argosyd init " + folder().string() + " --rewrite";
  const auto checked = world.program({"argosyd", "config", "check", "--config", settings});
  EXPECT_EQ(checked.code, 0);
  EXPECT_NE(checked.err.find("allow_responses"), std::string::npos) << checked.err;
  EXPECT_NE(checked.err.find(cure), std::string::npos) << checked.err;
  const auto served = serve(settings);
  ASSERT_FALSE(HasFailure());
  EXPECT_TRUE(eventually([&] { return world.log().find("allow_responses") != std::string::npos; }))
      << world.log();
  const auto status = as("root", {"status"});
  EXPECT_NE(status.out.find("allow_responses"), std::string::npos) << status.out << status.err;
  EXPECT_NE(status.out.find("--rewrite"), std::string::npos) << status.out;

  const auto mended = world.program({"argosyd", "init", folder().string(), "--rewrite"});
  ASSERT_EQ(mended.code, 0) << mended.err;
  EXPECT_NE(content_of(file("nats-server.conf")).find("# mine\n"), std::string::npos)
      << "it was edited";
  nats_.signal(SIGHUP);
  EXPECT_TRUE(eventually([&] { return !agent_may_do_everything(); })) << nats_log();
  EXPECT_EQ(nats_log().find("Failed to reload"), std::string::npos) << nats_log();
  EXPECT_EQ(world.program({"argosyd", "config", "check", "--config", settings}).err, "");
  EXPECT_TRUE(eventually(
      [&] { return as("root", {"status"}).out.find("allow_responses") == std::string::npos; }));
}

/// As argosyd init wrote it when connections had more subscriptions, and readers no bound.
TEST_F(access_fixture, older_limits_are_told_and_mended_by_a_restart) {
  auto conf = content_of(file("nats-server.conf"));
  const auto today = conf;
  conf.replace(conf.find("subscriptions: 200"), 18, "subscriptions: 1000");
  conf.erase(conf.find("max_pending"), conf.find("jetstream {") - conf.find("max_pending"));
  world.write("made/nats-server.conf", conf);
  const auto start_nats = [&] {
    nats_.signal(SIGTERM);
    EXPECT_TRUE(nats_.wait(std::chrono::seconds{20}));
    nats_ = world.start_program({"/usr/bin/env", "nats-server", "-c", file("nats-server.conf")},
                                "nats-server");
  };
  start_nats();
  const auto settings = settings_with_health();
  const auto words = "(max_subscriptions: 1000, no max_pending)";
  const auto checked = world.program({"argosyd", "config", "check", "--config", settings});
  EXPECT_EQ(checked.code, 0);
  EXPECT_NE(checked.err.find(words), std::string::npos) << checked.err;
  const auto served = serve(settings);
  ASSERT_FALSE(HasFailure());
  const auto status = as("root", {"status"});
  EXPECT_NE(status.out.find(words), std::string::npos) << status.out << status.err;
  EXPECT_NE(status.out.find("argosyd init " + folder().string() + " --rewrite"), std::string::npos)
      << status.out;
  EXPECT_EQ(status.out.find("other rights"), std::string::npos) << status.out;
  const auto mended = world.program({"argosyd", "init", folder().string(), "--rewrite"});
  ASSERT_EQ(mended.code, 0) << mended.err;
  EXPECT_NE(mended.out.find("start the nats-server anew"), std::string::npos) << mended.out;
  EXPECT_EQ(content_of(file("nats-server.conf")), today);
  start_nats();
  EXPECT_TRUE(eventually([&] {
    const auto after = as("root", {"status"});
    return after.code == 0 && after.out.find("older version") == std::string::npos;
  }));
  EXPECT_EQ(world.program({"argosyd", "config", "check", "--config", settings}).err, "");
}

class rights_without_reload : public access_fixture {
 protected:
  void start_argosyd() {
    served_ = serve(settings_with_health());
    ASSERT_FALSE(HasFailure());
  }
  [[nodiscard]] std::string metrics() const {
    launch how;
    const auto address = lines_of(content_of(world.ready_file())).at(1);
    how.words = {"/usr/bin/curl", "-sS", "--max-time", "10", address + "/metrics"};
    return run(how, world.folder(), std::chrono::seconds{20}).out;
  }
  [[nodiscard]] bool status_has(const std::string& words) const {
    return as("root", {"status"}).out.find(words) != std::string::npos;
  }

  child served_;
};

TEST_F(rights_without_reload, are_told_with_the_command_until_the_server_has_read_them) {
  start_argosyd();
  const std::string runs_on = "the nats-server runs on with other rights";
  EXPECT_FALSE(status_has("rights"));
  // Eve's key goes on to open what it did, though the file does not have it any more.
  ASSERT_EQ(world.program({"argosyd", "init", folder().string(), "--remove", "user/eve"}).code, 0);
  EXPECT_TRUE(eventually([&] { return status_has(runs_on); })) << world.log();
  EXPECT_NE(open("user-eve"), nullptr);
  EXPECT_TRUE(status_has("nats-server --signal reload=")) << as("root", {"status"}).out;
  EXPECT_NE(world.log().find(runs_on), std::string::npos) << world.log();
  EXPECT_NE(metrics().find("argosy_nats_rights_stale 1"), std::string::npos);

  nats_.signal(SIGHUP);
  EXPECT_TRUE(eventually([&] { return !status_has(runs_on); }, std::chrono::seconds{40}))
      << world.log();
  EXPECT_EQ(open("user-eve"), nullptr);
  EXPECT_NE(metrics().find("argosy_nats_rights_stale 0"), std::string::npos);
}

/// As on a machine that has only the files of argosyd.
TEST_F(rights_without_reload, of_another_version_are_told_without_the_files_of_init) {
  auto accounts = content_of(file("accounts.conf"));
  const auto mark = accounts.find("argosy.rights.rules.");
  ASSERT_NE(mark, std::string::npos);
  accounts.replace(mark + 20, 8, "01234567");
  world.write("made/accounts.conf", accounts);
  std::filesystem::remove(file("access.list"));
  nats_.signal(SIGHUP);
  start_argosyd();
  EXPECT_TRUE(eventually([&] {
    return status_has("other rights than this version of argosyd") && status_has("--rewrite");
  })) << world.log();
}

}  // namespace

}  // namespace argosy::testing
