// SPDX-License-Identifier: Apache-2.0
// Goal: a deployment of `argosyd init` does all that an open one does, and nobody can do in it what
// is not his. Method: the real programs, started as init says, and attackers with the keys of users
// and agents.
#include <sys/stat.h>

#include "messages/codec/agent/agent_codec.hpp"
#include "tests/integration/access/access_fixture.hpp"

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;

constexpr auto npos = std::string::npos;

class secured : public access_fixture {
 protected:
  void SetUp() override {
    access_fixture::SetUp();
    if (HasFatalFailure()) return;
    world.write("made/argosyd-more.yaml",
                content_of(file("argosyd.yaml")) + "health:\n  listen: 127.0.0.1:0\n");
    served_ = world.start_program(
        {"argosyd", "--config", file("argosyd-more.yaml"), "--data-dir", world.data_dir().string(),
         "--ready-file", world.ready_file().string()},
        "argosyd");
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(world.ready_file()); }))
        << world.log();
  }
  void TearDown() override {
    if (HasFailure()) std::cerr << content_of(world.folder() / "agent.log");
    deployment_fixture::TearDown();
  }

  child start_agent() const {
    return world.start_program({"argosy-agent", "--config", file("agents/c1.yaml"), "--data-dir",
                                (world.folder() / "agent").string(), "--ready-file",
                                (world.folder() / "agent-ready").string()},
                               "agent");
  }
  void expect_refused(const outcome& got) const {
    EXPECT_EQ(got.code, 4) << got.out << got.err;
    EXPECT_NE(got.err.find("not permitted"), npos) << got.err;
  }
  void ask(const bus::nats_session& from, const std::string& subject, const std::string& reply) {
    EXPECT_EQ(natsConnection_PublishRequestString(from.get(), subject.c_str(), reply.c_str(), ""),
              NATS_OK);
    EXPECT_EQ(natsConnection_FlushTimeout(from.get(), 5'000), NATS_OK);
  }

  struct overheard {
    std::string subject;
    std::string data;
  };
  /// Submits a job as alice and returns the message that starts it.
  overheard overhear_an_order(const bus::nats_session& from) {
    natsSubscription* heard = nullptr;
    EXPECT_EQ(natsConnection_SubscribeSync(&heard, from.get(), "argosy.agent.c1.*.orders"),
              NATS_OK);
    EXPECT_EQ(natsConnection_Flush(from.get()), NATS_OK);
    EXPECT_EQ(as("alice", {"submit", one_more_job(), "--wait", "--timeout", "30s"}).code, 0);
    overheard out;
    natsMsg* message = nullptr;
    while (natsSubscription_NextMsg(&message, heard, 1'000) == NATS_OK) {
      const std::string data{natsMsg_GetData(message),
                             static_cast<std::size_t>(natsMsg_GetDataLength(message))};
      const auto orders = codec::decode_orders(data);
      if (orders && !orders->start.empty()) out = {natsMsg_GetSubject(message), data};
      natsMsg_Destroy(message);
      if (!out.data.empty()) break;
    }
    natsSubscription_Destroy(heard);
    return out;
  }
  void publish(const bus::nats_session& from, const std::string& subject, const std::string& data) {
    EXPECT_EQ(natsConnection_Publish(from.get(), subject.c_str(), data.data(),
                                     static_cast<int>(data.size())),
              NATS_OK);
    EXPECT_EQ(natsConnection_FlushTimeout(from.get(), 5'000), NATS_OK);
  }
  std::filesystem::path witness_file() const { return world.folder() / "witness"; }
  std::string one_more_job() const {
    return world.write("jobs.yaml", deployment::jobs({{witness("witness")}}));
  }
  std::string agent_log() const { return content_of(world.folder() / "agent.log"); }
  std::size_t refusals() const {
    std::size_t out = 0;
    const auto text = agent_log();
    for (auto at = text.find("without a valid signature"); at != npos;
         at = text.find("without a valid signature", at + 1))
      ++out;
    return out;
  }

  /// A right to subscribe: the text of all rights, and its place in there.
  struct right {
    std::string rights;
    std::size_t at = npos;
    std::size_t size = 0;
  };
  [[nodiscard]] right rights_of(const std::string& whose, const std::string& subject) const {
    right out{content_of(file("accounts.conf"))};
    out.at = out.rights.find(subject, out.rights.find("subscribe", out.rights.find(whose)));
    out.size = subject.size();
    EXPECT_NE(out.at, npos) << out.rights;
    return out;
  }
  /// Has the server read rights with another subject in that place.
  void give_rights(right with, const std::string& subject) {
    const auto reloads = [&] {
      const auto text = content_of(world.folder() / "nats-server.log");
      std::size_t out = 0;
      for (auto at = text.find("Reloaded server"); at != npos;
           at = text.find("Reloaded server", at + 1))
        ++out;
      return out;
    };
    const auto before = reloads();
    world.write("made/accounts.conf", with.rights.replace(with.at, with.size, subject));
    nats_.signal(SIGHUP);
    ASSERT_TRUE(eventually([&] { return reloads() > before; }));
  }
  [[nodiscard]] std::string status() const { return as("root", {"status"}).out; }

  child served_;
};

TEST_F(secured, runs_jobs_and_shows_their_output_and_names_their_owner) {
  ASSERT_EQ(as("root", {"queue", "create", "q"}).code, 0);
  const auto agent = start_agent();
  const auto jobs = world.write("jobs.yaml", deployment::jobs({{"echo seen; sleep 0.2"}}));
  const auto done = as("alice", {"submit", jobs, "-o", "name", "--wait", "--timeout", "30s"});
  ASSERT_EQ(done.code, 0) << done.out << done.err << world.log();
  const auto id = lines_of(done.out).at(0).substr(4);
  const auto output = as("alice", {"logs", id, "-f"});
  EXPECT_EQ(output.out, "seen\n") << output.err;
  EXPECT_NE(as("alice", {"get", "job", id, "-o", "json"}).out.find("\"alice\""), npos);
  EXPECT_EQ(as("eve", {"get", "job", id}).code, 0) << "a viewer sees jobs";
  EXPECT_EQ(as("eve", {"get", "clusters"}).code, 0);
  EXPECT_EQ(as("root", {"get", "nodes"}).code, 0);
  EXPECT_EQ(world.log().find("ermissions Violation"), npos) << world.log();
  EXPECT_EQ(content_of(world.folder() / "agent.log").find("ermissions Violation"), npos);
}

TEST_F(secured, lets_users_do_only_what_their_role_has) {
  for (const auto* name : {"q", "empty"}) ASSERT_EQ(as("root", {"queue", "create", name}).code, 0);
  const auto jobs = world.write("jobs.yaml", deployment::jobs({{"true"}}));
  const auto made = as("alice", {"submit", jobs, "-o", "name"});
  ASSERT_EQ(made.code, 0) << made.err;
  const auto id = lines_of(made.out).at(0).substr(4);
  expect_refused(as("eve", {"submit", jobs}));
  expect_refused(as("eve", {"cancel", id}));
  expect_refused(as("eve", {"queue", "delete", "empty"}));
  expect_refused(as("alice", {"queue", "create", "mine"}));
  expect_refused(as("alice", {"queue", "delete", "empty"}));
  EXPECT_EQ(as("alice", {"cancel", id}).code, 0);
}

TEST_F(secured, tells_users_their_role_and_what_it_allows) {
  ASSERT_EQ(as("root", {"queue", "create", "q"}).code, 0);
  for (const auto& [user, role] : std::vector<std::pair<std::string, std::string>>{
           {"eve", "viewer"}, {"alice", "submitter"}, {"root", "operator"}}) {
    const auto me = as(user, {"whoami"});
    EXPECT_EQ(me.code, 0) << me.err;
    EXPECT_NE(me.out.find("name         " + user), npos) << me.out;
    EXPECT_NE(me.out.find("role         " + role), npos) << me.out;
    EXPECT_EQ(as(user, {"auth", "can-i", "watch", "q"}).code, 0);
    EXPECT_EQ(as(user, {"auth", "can-i", "submit", "q"}).code, role == "viewer" ? 4 : 0);
    EXPECT_EQ(as(user, {"auth", "can-i", "delete-queue", "q"}).code, role == "operator" ? 0 : 4);
  }
}

TEST_F(secured, answers_no_request_whose_reply_would_go_to_the_log_or_to_another) {
  const auto alice = open("user-alice");
  const auto bob = open("user-bob");
  ASSERT_TRUE(alice && bob);
  natsSubscription* heard = nullptr;
  ASSERT_EQ(natsConnection_QueueSubscribeSync(&heard, bob->get(), "_INBOX.user.bob.>",
                                              access::inbox_group.data()),
            NATS_OK);
  ASSERT_EQ(natsConnection_Flush(bob->get()), NATS_OK);
  ask(*alice, "argosy.api.alice.Query.GetVersion", "argosy.log.0001");
  ask(*alice, "argosy.api.alice.Query.GetVersion", "$JS.API.STREAM.UPDATE.ARGOSY_LOG_0001");
  EXPECT_TRUE(eventually([&] { return world.log().find("is no inbox") != npos; })) << world.log();
  ask(*alice, "argosy.api.alice.Query.GetVersion", "_INBOX.user.bob.x");
  EXPECT_TRUE(eventually([&] {
    return world.log().find("its answer would go to somebody else") != npos;
  })) << world.log();
  natsMsg* message = nullptr;
  EXPECT_EQ(natsSubscription_NextMsg(&message, heard, 200), NATS_TIMEOUT);
  natsSubscription_Destroy(heard);
  EXPECT_EQ(as("root", {"queue", "create", "q"}).code, 0) << "the log takes changes as before";
}

TEST_F(secured, gives_whoever_reads_an_agents_key_no_other_machine_and_no_api) {
  auto agent = start_agent();
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(world.folder() / "agent-ready"); }));
  const auto stolen = open("agent-c1");
  ASSERT_TRUE(stolen);
  for (const auto* subject : {"argosy.agent.c2.orders", "argosy.agent.c2.hello",
                              "argosy.api.alice.Submit.CancelJobs", "argosy.log.0001"}) {
    ask(*stolen, subject, "_INBOX.agent.c1.x");
    const char* text = nullptr;
    natsConnection_GetLastError(stolen->get(), &text);
    EXPECT_NE(std::string{text == nullptr ? "" : text}.find(subject), npos) << subject;
  }
}

/// Forges orders after the model of a real one: the same, for a job that nobody submitted.
TEST_F(secured, lets_a_thief_of_the_login_of_argosyd_start_nothing_on_an_agent) {
  const auto agent = start_agent();
  ASSERT_EQ(as("root", {"queue", "create", "q"}).code, 0);
  const auto thief = open("argosyd");
  ASSERT_TRUE(thief);
  const auto genuine = overhear_an_order(*thief);
  ASSERT_FALSE(genuine.data.empty());
  auto forged = codec::decode_orders(genuine.data);
  ASSERT_TRUE(forged);
  forged->start.at(0).run.job.bytes[15] ^= 1;
  publish(*thief, genuine.subject, codec::encode(*forged));
  EXPECT_TRUE(eventually([&] { return refusals() == 1; })) << agent_log();
  // The signature of the real order, and that order again.
  publish(*thief, genuine.subject,
          codec::encode(*forged) + genuine.data.substr(genuine.data.size() - 66));
  EXPECT_TRUE(eventually([&] { return refusals() == 2; })) << agent_log();
  publish(*thief, genuine.subject, genuine.data);
  EXPECT_EQ(as("alice", {"submit", one_more_job(), "--wait", "--timeout", "30s"}).code, 0);
  EXPECT_EQ(lines_of(content_of(witness_file())).size(), 2u) << "of the two jobs of alice";
}

/// An agent of older credentials obeys whoever may publish on its subjects, and says so.
TEST_F(secured, lets_that_thief_start_runs_on_an_agent_that_knows_no_key) {
  const auto text = content_of(file("credentials/agent-c1"));
  ASSERT_TRUE(access::write_private(file("credentials/agent-c1"),
                                    text.substr(0, text.find("order-key:")), true));
  const auto agent = start_agent();
  ASSERT_EQ(as("root", {"queue", "create", "q"}).code, 0);
  const auto thief = open("argosyd");
  ASSERT_TRUE(thief);
  const auto genuine = overhear_an_order(*thief);
  ASSERT_FALSE(genuine.data.empty());
  auto forged = codec::decode_orders(genuine.data);
  ASSERT_TRUE(forged);
  forged->start.at(0).run.job.bytes[15] ^= 1;
  publish(*thief, genuine.subject, codec::encode(*forged));
  EXPECT_TRUE(eventually([&] { return lines_of(content_of(witness_file())).size() == 2; }))
      << agent_log();
  EXPECT_NE(agent_log().find("orders are not checked"), npos) << agent_log();
}

/// It ended at the first answer, so that one forged answer could end an agent.
TEST_F(secured, keeps_an_agent_waiting_whose_order_key_is_another) {
  auto text = content_of(file("credentials/agent-c1"));
  const auto place = text.find("order-key:");
  const auto other = access::make_nkey();
  ASSERT_TRUE(other);
  text = text.substr(0, place) + "order-key: " + other->public_key + "\n";
  ASSERT_TRUE(access::write_private(file("credentials/agent-c1"), text, true));
  auto agent = start_agent();
  EXPECT_TRUE(eventually([&] {
    return agent_log().find("order-key") != npos && agent_log().find("no valid signature") != npos;
  })) << agent_log();
  EXPECT_TRUE(agent.running()) << agent_log();
  EXPECT_FALSE(std::filesystem::exists(world.folder() / "agent-ready"));
}

TEST_F(secured, shows_no_secret_in_arguments_logs_and_open_files) {
  const auto agent = start_agent();
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(world.folder() / "agent-ready"); }));
  std::string shown = said_ + world.log() + content_of(world.folder() / "agent.log") +
                      content_of(world.folder() / "nats-server.log") +
                      content_of(world.ready_file()) + content_of(file("nats-server.conf")) +
                      world.process_list();
  for (const auto& one : std::filesystem::directory_iterator{folder() / "credentials"}) {
    const auto known = access::read_credentials(one.path());
    ASSERT_TRUE(known) << one.path();
    EXPECT_EQ(shown.find(known->seed), npos) << one.path();
    if (!known->order_seed.empty()) {
      EXPECT_EQ(shown.find(known->order_seed), npos) << one.path();
    }
    struct stat about {};
    ASSERT_EQ(::stat(one.path().c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777u, 0600u) << one.path();
  }
}

TEST_F(secured, says_what_to_do_to_whoever_has_no_credentials_or_those_of_another_program) {
  const auto none = world.ctl({"get", "jobs", "--server", url(), "--timeout", "5s"});
  EXPECT_EQ(none.code, 4) << none.err;
  EXPECT_NE(none.err.find("credentials"), npos) << none.err;
  const auto wrong =
      world.program({"/usr/bin/env", "ARGOSY_CREDENTIALS=" + file("credentials/argosyd"),
                     std::string{ARGOSY_BIN_DIR} + "/argosyctl", "get", "jobs", "--server", url()});
  EXPECT_EQ(wrong.code, 2) << wrong.err;
  EXPECT_NE(wrong.err.find("needs those of a user"), npos) << wrong.err;
  const auto agent = world.program({"argosy-agent", "--config", file("agents/c1.yaml"), "--cluster",
                                    "c2", "--data-dir", (world.folder() / "agent").string()});
  EXPECT_NE(agent.code, 0);
  EXPECT_NE(agent.err.find("is for agent/c1"), npos) << agent.err;
  const auto tenant =
      world.program({"/usr/bin/env", "ARGOSY_NATS_CREDENTIALS_FILE=" + file("credentials/user-ten"),
                     std::string{ARGOSY_BIN_DIR} + "/argosy-agent", "--config",
                     file("agents/c1.yaml"), "--data-dir", (world.folder() / "agent").string()});
  EXPECT_NE(tenant.code, 0);
  EXPECT_NE(tenant.err.find("is for the tenant user/ten"), npos) << tenant.err;
}

/// Only the nats-server knows the role of these users.
TEST_F(secured, says_what_to_do_to_an_agent_with_the_key_of_a_user_and_lets_an_owner_serve) {
  const auto start_as = [this](const std::string& user) {
    return world.start_program(
        {"/usr/bin/env", "ARGOSY_NATS_CREDENTIALS_FILE=" + file("credentials/user-" + user),
         std::string{ARGOSY_BIN_DIR} + "/argosy-agent", "--config", file("agents/c1.yaml"),
         "--data-dir", (world.folder() / "agent").string(), "--ready-file",
         (world.folder() / "agent-ready").string()},
        user);
  };
  for (const std::string user : {"eve", "alice", "root"}) {
    auto agent = start_as(user);
    const auto code = agent.wait(std::chrono::seconds{30});
    const auto said = content_of(world.folder() / (user + ".log"));
    EXPECT_EQ(code, 2) << user << ": " << said;
    EXPECT_NE(said.find("is for user/" + user + ","), npos) << said;
    EXPECT_NE(said.find("name the file of agent/c1, which `argosyd init --add-cluster c1`"), npos)
        << said;
  }
  const auto owner = start_as("dev");
  EXPECT_TRUE(eventually([&] { return std::filesystem::exists(world.folder() / "agent-ready"); }))
      << content_of(world.folder() / "dev.log");
}

/// An older version gave such rights, and somebody's own nats-server may.
TEST_F(secured, ends_an_agent_that_may_not_hear_its_orders) {
  give_rights(rights_of("# agent/c1\n", "argosy.agent.c1.>"), "argosy.agent.c1.none");
  auto agent = start_agent();
  EXPECT_EQ(agent.wait(std::chrono::seconds{30}), 1) << agent_log();
  EXPECT_NE(agent_log().find("does not let this agent serve cluster 'c1'"), npos) << agent_log();
  EXPECT_NE(agent_log().find("argosyd init DIR --rewrite"), npos) << agent_log();
}

TEST_F(secured, tells_of_a_serving_agent_that_may_not_hear_its_orders_any_more) {
  const auto own = rights_of("# agent/c1\n", "argosy.agent.c1.>");
  const auto agent = start_agent();
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(world.folder() / "agent-ready"); }));
  EXPECT_EQ(status().find("hear nothing"), npos) << status();
  give_rights(own, "argosy.agent.c1.none");
  EXPECT_TRUE(eventually([&] {
    const auto now = status();
    return now.find("cluster c1 is away") != npos && now.find(".orders'") != npos &&
           now.find("argosyd init DIR --rewrite") != npos;
  })) << status()
      << agent_log();
  EXPECT_NE(agent_log().find("lets this agent hear nothing on"), npos) << agent_log();
  EXPECT_NE(agent_log().find(".logs'"), npos) << "one refusal hides another: " << agent_log();

  give_rights(own, "argosy.agent.c1.>");
  EXPECT_TRUE(eventually([&] { return status().find("hear nothing") == npos; })) << status();
  ASSERT_EQ(as("root", {"queue", "create", "q"}).code, 0);
  const auto jobs = world.write("jobs.yaml", deployment::jobs({{"true"}}));
  EXPECT_EQ(as("alice", {"submit", jobs, "--wait", "--timeout", "30s"}).code, 0) << agent_log();
}

TEST_F(secured, tells_what_argosyd_itself_may_not_hear_any_more) {
  const auto own = rights_of("# argosyd\n", "argosy.agent.>");
  // An argosyd that may not hear agents when it begins to serve them ends.
  const auto agent = start_agent();
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(world.folder() / "agent-ready"); }));
  give_rights(own, "argosy.agent.none");
  EXPECT_TRUE(eventually([&] {
    return status().find("lets argosyd hear nothing on 'argosy.agent.") != npos;
  })) << status()
      << world.log();
  give_rights(own, "argosy.agent.>");
  EXPECT_TRUE(eventually([&] { return status().find("hear nothing") == npos; })) << status();
  EXPECT_TRUE(eventually([&] {
    return as("root", {"get", "clusters"}).out.find("connected") != npos;
  })) << agent_log();
}

TEST_F(secured, takes_new_members_and_drops_old_ones_when_the_server_reloads) {
  const auto change =
      world.program({"argosyd", "init", folder().string(), "--add-user", "new:operator",
                     "--add-cluster", "c3", "--remove", "user/bob"});
  ASSERT_EQ(change.code, 0) << change.err;
  EXPECT_NE(as("new", {"get", "queues"}).code, 0);
  nats_.signal(SIGHUP);
  EXPECT_TRUE(eventually([&] { return as("new", {"queue", "create", "n"}).code == 0; }));
  EXPECT_EQ(as("bob", {"get", "queues", "--timeout", "5s"}).code, 4);
  EXPECT_EQ(as("alice", {"get", "queues"}).code, 0);
  EXPECT_EQ(world.program({"argosyd", "init", folder().string()}).code, 6);
}

}  // namespace

}  // namespace argosy::testing
