// SPDX-License-Identifier: Apache-2.0
// Goal: argosyd with a nats-server that is not its own says when that is missing, is not ready
// while it is away, and goes on when it is back. Method: a real argosyd, and a nats-server that is
// absent, killed and started again.
#include <nats/nats.h>

#include "runtime/bus/nats/nats_bus.hpp"
#include "tests/support/nats/nats_server.hpp"
#include "tests/support/process/deployment_fixture.hpp"

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;

class external_nats : public deployment_fixture {
 protected:
  std::vector<std::string> argosyd(const std::string& url, const std::string& name = "") const {
    // The server may have less room than the default asks for. All share one key. Each has a file
    // of its own, since another may be reading the one that was written before.
    const auto config = world.write("argosyd" + name + ".yaml",
                                    "journal:\n  logBytesMax: 64MiB\n  keyFile: " + key_file() +
                                        "\nhealth:\n  listen: 127.0.0.1:0\n");
    return {"argosyd",
            "--config",
            config,
            "--nats",
            url,
            "--data-dir",
            world.data_dir().string() + name,
            "--ready-file",
            world.ready_file().string() + name};
  }

  std::string key_file() const { return (world.folder() / "log.key").string(); }

  static constexpr auto npos = std::string::npos;

  /// The HTTP status of a page, and its text, of the argosyd with this name.
  std::pair<std::string, std::string> get(const std::string& page,
                                          const std::string& name = "") const {
    const auto lines = lines_of(content_of(world.ready_file().string() + name));
    if (lines.size() < 2) return {};
    return fetch(lines[1] + page);
  }
  /// The same of an argosyd that is not ready yet, and so has not written its ready file.
  std::pair<std::string, std::string> page_of_waiting(const std::string& page) const {
    const auto port = lines_of(content_of(world.data_dir() / "health.port"));
    if (port.empty()) return {};
    return fetch("http://127.0.0.1:" + port[0] + page);
  }
  std::pair<std::string, std::string> fetch(const std::string& url) const {
    launch how;
    how.words = {"/usr/bin/curl", "-s", "-w", "\n%{http_code}", url};
    const auto got = run(how, world.folder(), 20s);
    const auto end = got.out.rfind('\n');
    if (end == std::string::npos) return {};
    return {got.out.substr(end + 1), got.out.substr(0, end)};
  }
};

TEST_F(external_nats, that_takes_too_little_in_one_message_is_refused_with_what_to_raise) {
  const nats_server server{{.max_payload = 500'000}};
  const auto done = world.program(argosyd(server.url()));
  EXPECT_EQ(done.code, 1);
  EXPECT_NE(
      done.err.find("takes no message above 500000 bytes, and argosyd needs 524288: raise its "
                    "max_payload"),
      npos)
      << done.err;
}

TEST_F(external_nats, an_absent_server_is_said_at_once_and_waited_for_and_shows_no_token) {
  nats_server server{{.token = "s3cret"}};
  server.kill();
  auto served = world.start_program(argosyd(server.url()), "argosyd");
  const auto log = [&] { return content_of(world.folder() / "argosyd.log"); };
  EXPECT_TRUE(eventually([&] { return log().find("no nats-server answers there") != npos; }));
  EXPECT_NE(log().find("127.0.0.1:" + std::to_string(server.port())), npos) << log();
  EXPECT_TRUE(eventually([&] { return page_of_waiting("/readyz").first == "503"; }));
  EXPECT_EQ(page_of_waiting("/livez").first, "200");
  EXPECT_NE(page_of_waiting("/readyz").second.find("no nats-server answers there"), npos);
  EXPECT_TRUE(served.running());
  EXPECT_FALSE(std::filesystem::exists(world.ready_file()));
  server.restart();
  EXPECT_TRUE(eventually([&] { return get("/readyz").first == "200"; })) << log();
  EXPECT_EQ(log().find("s3cret"), npos) << log();
  served.signal(SIGTERM);
  EXPECT_EQ(served.wait(10s), 0);
}

TEST_F(external_nats, waiting_for_an_absent_server_ends_with_a_signal) {
  for (const int number : {SIGTERM, SIGINT}) {
    auto served = world.start_program(argosyd("nats://127.0.0.1:1"), "argosyd");
    EXPECT_TRUE(eventually([&] { return page_of_waiting("/livez").first == "200"; }));
    served.signal(number);
    EXPECT_EQ(served.wait(3s), 0);
  }
}

TEST_F(external_nats, what_no_waiting_mends_ends_at_once) {
  const nats_server server{{.token = "s3cret"}};
  const auto wrong =
      world.program(argosyd("nats://mistaken@127.0.0.1:" + std::to_string(server.port())));
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.err.find("refused the token"), npos) << wrong.err;
  EXPECT_EQ(world.program(argosyd("nats://127.0.0.1:notaport")).code, 2);
}

TEST_F(external_nats, a_server_without_jetstream_is_named) {
  const nats_server server{{.jetstream = false}};
  const auto got = world.program(argosyd(server.url()));
  EXPECT_EQ(got.code, 1);
  EXPECT_NE(got.err.find("JetStream"), std::string::npos) << got.err;
}

TEST_F(external_nats, is_not_ready_while_its_server_is_away_and_goes_on_afterwards) {
  nats_server server{{.token = "s3cret"}};
  auto served = world.start_program(argosyd(server.url()), "argosyd");
  ASSERT_TRUE(eventually([&] { return get("/readyz").first == "200"; })) << get("/readyz").second;
  const auto ctl = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--server", server.url(), "--timeout", "5s"});
    return world.ctl(words);
  };
  ASSERT_EQ(ctl({"queue", "create", "q"}).code, 0);

  server.kill();
  EXPECT_TRUE(eventually([&] { return get("/readyz").first == "503"; }));
  const auto why = get("/readyz").second;
  EXPECT_NE(why.find("no connection"), std::string::npos) << why;
  EXPECT_EQ(why.find("s3cret"), std::string::npos) << why;
  EXPECT_EQ(get("/livez").first, "200");
  const auto during = ctl({"get", "queues"});
  EXPECT_EQ(during.code, 5) << during.err;
  EXPECT_LT(during.took, 8s);

  server.restart();
  EXPECT_TRUE(eventually([&] { return get("/readyz").first == "200"; })) << get("/readyz").second;
  EXPECT_TRUE(served.running());
  const auto after = ctl({"get", "queues", "-o", "name"});
  EXPECT_EQ(after.code, 0) << after.err;
  EXPECT_NE(after.out.find("q"), std::string::npos);
  EXPECT_EQ(ctl({"queue", "create", "r"}).code, 0) << "the log takes changes again";
  served.signal(SIGTERM);
  EXPECT_EQ(served.wait(10s), 0);
}

TEST_F(external_nats, a_second_that_cannot_have_its_port_leaves_the_lead_alone) {
  const nats_server server;
  auto first = world.start_program(argosyd(server.url()), "argosyd");
  ASSERT_TRUE(eventually([&] { return get("/readyz").first == "200"; }));
  const auto taken = lines_of(content_of(world.ready_file())).at(1).substr(7);
  auto words = argosyd(server.url(), "-second");
  words[2] = world.write("second.yaml", "journal:\n  logBytesMax: 64MiB\n  keyFile: " + key_file() +
                                            "\nhealth:\n  listen: " + taken + "\n");
  const auto second = world.program(words);
  EXPECT_EQ(second.code, 1);
  EXPECT_NE(second.err.find("cannot listen on " + taken), std::string::npos) << second.err;
  EXPECT_EQ(world.ctl({"queue", "create", "q", "--server", server.url()}).code, 0);
  EXPECT_TRUE(first.running());
  first.signal(SIGTERM);
  EXPECT_EQ(first.wait(10s), 0);
}

TEST_F(external_nats, what_others_publish_to_the_log_harms_nobody) {
  const nats_server server;
  const auto stranger = bus::connect_nats({.url = server.url()});
  ASSERT_TRUE(stranger);
  const auto publish = [&](const std::string& text) {
    ASSERT_TRUE((*stranger)->publish("argosy.log.0001", text, {}));
    ASSERT_TRUE((*stranger)->flush(5s));
  };
  const auto ctl = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--server", server.url(), "--timeout", "10s"});
    return world.ctl(words);
  };
  for (int i = 0; i < 2; ++i) {
    auto served = world.start_program(argosyd(server.url()), "argosyd" + std::to_string(i));
    ASSERT_TRUE(eventually([&] { return get("/readyz").first == "200"; }));
    publish("x");
    EXPECT_EQ(ctl({"queue", "create", "q" + std::to_string(i)}).code, 0) << "while it serves";
    publish(std::string(100'000, '\0'));
    served.signal(SIGKILL);
    EXPECT_NE(served.wait(10s), 0);
    publish("while nobody serves");
    std::filesystem::remove(world.ready_file());
  }
  std::filesystem::remove_all(world.data_dir());
  auto served = world.start_program(argosyd(server.url()), "argosyd");
  ASSERT_TRUE(eventually([&] { return get("/readyz").first == "200"; }));
  const auto queues = ctl({"get", "queues", "-o", "name"}).out;
  EXPECT_EQ(lines_of(queues).size(), 2u) << queues << "both are rebuilt from the log alone";
  served.signal(SIGTERM);
  EXPECT_EQ(served.wait(10s), 0);
}

TEST_F(external_nats, a_request_whose_reply_would_go_to_the_log_is_dropped_and_said) {
  const nats_server server;
  auto served = world.start_program(argosyd(server.url()), "argosyd");
  ASSERT_TRUE(eventually([&] { return get("/readyz").first == "200"; }));
  natsConnection* stranger = nullptr;
  ASSERT_EQ(natsConnection_ConnectTo(&stranger, server.url().c_str()), NATS_OK);
  EXPECT_EQ(natsConnection_PublishRequestString(stranger, "argosy.api.QueueService.GetQueue",
                                                "argosy.log.0001", "x"),
            NATS_OK);
  EXPECT_EQ(natsConnection_FlushTimeout(stranger, 5'000), NATS_OK);
  natsConnection_Destroy(stranger);
  const auto log = [&] { return content_of(world.folder() / "argosyd.log"); };
  EXPECT_TRUE(eventually([&] { return log().find("is no inbox") != npos; })) << log();
  served.signal(SIGTERM);
  EXPECT_EQ(served.wait(10s), 0);
}

/// It is a matter of luck which of the two leads a moment later, but only one of them does.
TEST_F(external_nats, of_two_that_start_at_once_one_leads_and_the_other_follows_it) {
  const nats_server server;
  const auto ctl = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--server", server.url(), "--timeout", "5s"});
    return world.ctl(words);
  };
  for (int i = 0; i < 2; ++i) {
    const std::vector<std::string> names{"-a" + std::to_string(i), "-b" + std::to_string(i)};
    std::vector<child> both;
    for (const auto& name : names)
      both.push_back(world.start_program(argosyd(server.url(), name), "argosyd" + name));
    const auto ready = [&](std::size_t which) {
      return std::filesystem::exists(world.ready_file().string() + names[which]);
    };
    const auto waits = [&](std::size_t which) {
      return content_of(world.folder() / ("argosyd" + names[which] + ".log"))
                 .find("another argosyd leads; waiting until it ends") != std::string::npos;
    };
    ASSERT_TRUE(eventually([&] { return ready(0) ? waits(1) : ready(1) && waits(0); }, 60s))
        << content_of(world.folder() / ("argosyd" + names[0] + ".log"))
        << content_of(world.folder() / ("argosyd" + names[1] + ".log"));
    const auto first = static_cast<std::size_t>(!ready(0));
    EXPECT_EQ(ctl({"queue", "create", "q" + std::to_string(i)}).code, 0);
    EXPECT_TRUE(both[0].running() && both[1].running());
    both[first].signal(i == 0 ? SIGTERM : SIGKILL);
    both[first].wait(10s);
    ASSERT_TRUE(eventually([&] { return ready(1 - first); }, 60s));
    const auto metrics = get("/metrics", names[1 - first]).second;
    EXPECT_NE(metrics.find("\nargosy_journal_stopped 0\n"), std::string::npos)
        << "its figures are not those of a claim that came second\n"
        << metrics;
    EXPECT_EQ(lines_of(ctl({"get", "queues", "-o", "name"}).out).size(),
              static_cast<std::size_t>(i) + 1)
        << "the one that follows knows all that was acknowledged";
    both[1 - first].signal(SIGTERM);
    EXPECT_EQ(both[1 - first].wait(10s), 0);
  }
}

TEST_F(external_nats, one_that_waits_for_the_lead_ends_when_it_is_told_to) {
  const nats_server server;
  auto first = world.start_program(argosyd(server.url()), "argosyd");
  ASSERT_TRUE(eventually([&] { return get("/readyz").first == "200"; }));
  auto second = world.start_program(argosyd(server.url(), "-second"), "second");
  ASSERT_TRUE(eventually([&] {
    return content_of(world.folder() / "second.log").find("waiting until") != std::string::npos;
  }));
  second.signal(SIGTERM);
  EXPECT_EQ(second.wait(10s), 0);
  EXPECT_EQ(get("/readyz").first, "200");
  first.signal(SIGTERM);
  EXPECT_EQ(first.wait(10s), 0);
}

}  // namespace

}  // namespace argosy::testing
