// SPDX-License-Identifier: Apache-2.0
// Goal: a deployment whose configuration gives the rights of older versions is found, by
// `config check`, at the start and by `argosyctl status`, and is mended without a restart of the
// nats-server. Method: such a configuration in place of that which `argosyd init` wrote, and the
// key of an agent that does what it must not.
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
  const auto settings = world.write(
      "made/more.yaml", content_of(file("argosyd.yaml")) + "health:\n  listen: 127.0.0.1:0\n");
  const auto cure = "argosyd init " + folder().string() + " --rewrite";
  const auto checked = world.program({"argosyd", "config", "check", "--config", settings});
  EXPECT_EQ(checked.code, 0);
  EXPECT_NE(checked.err.find("allow_responses"), std::string::npos) << checked.err;
  EXPECT_NE(checked.err.find(cure), std::string::npos) << checked.err;
  const auto served =
      world.start_program({"argosyd", "--config", settings, "--data-dir", world.data_dir().string(),
                           "--ready-file", world.ready_file().string()},
                          "argosyd");
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(world.ready_file()); }))
      << world.log();
  EXPECT_NE(world.log().find("allow_responses"), std::string::npos) << world.log();
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

}  // namespace

}  // namespace argosy::testing
