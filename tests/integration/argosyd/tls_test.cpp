// SPDX-License-Identifier: Apache-2.0
// Goal: argosyd, an agent and argosyctl work over an encrypted link, and trust only the authority
// that they were told. Method: the programs with a nats-server of the test's own authority.
#include "tests/support/nats/authority.hpp"
#include "tests/support/process/deployment_fixture.hpp"

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;

class tls : public deployment_fixture {
 protected:
  std::vector<std::string> argosyd(const std::string& ca_file) const {
    const auto config = world.write(
        "argosyd.yaml", "nats:\n  caFile: " + ca_file +
                            "\njournal:\n  logBytesMax: 64MiB\nhealth:\n  listen: 127.0.0.1:0\n");
    return {"argosyd",
            "--config",
            config,
            "--nats",
            url(),
            "--data-dir",
            world.data_dir().string(),
            "--ready-file",
            world.ready_file().string()};
  }

  outcome ctl(std::vector<std::string> words) const {
    std::vector<std::string> all{"/usr/bin/env", "SSL_CERT_FILE=" + own.ca_file(),
                                 std::string{ARGOSY_BIN_DIR} + "/argosyctl"};
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), {"--server", url()});
    return world.program(all);
  }

  std::string url() const { return tls_url(server); }

  authority own{"IP:127.0.0.1"};
  nats_server server{own.server()};
};

/// Where the NATS server asks everybody for a certificate.
class mutual_tls : public deployment_fixture {
 protected:
  outcome ctl(std::vector<std::string> words) const {
    std::vector<std::string> all{"/usr/bin/env", "XDG_CONFIG_HOME=" + world.folder().string(),
                                 std::string{ARGOSY_BIN_DIR} + "/argosyctl"};
    all.insert(all.end(), words.begin(), words.end());
    return world.program(all);
  }
  std::vector<std::string> with_certificate(std::vector<std::string> words) const {
    words.insert(words.end(), {"--ca-file", own.ca_file(), "--cert-file", own.certificate(),
                               "--key-file", own.key()});
    return words;
  }

  authority own{"IP:127.0.0.1"};
  nats_server server{own.checking_server()};
  std::string url = tls_url(server);
};

TEST_F(tls, a_job_runs_where_all_trust_the_servers_authority) {
  const auto served = world.start_program(argosyd(own.ca_file()), "argosyd");
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(world.ready_file()); }));
  const auto config = world.write("agent.yaml", "nats:\n  caFile: " + own.ca_file() + "\n");
  const auto agent =
      world.start_program({"argosy-agent", "--config", config, "--cluster", "c", "--nats", url(),
                           "--data-dir", (world.folder() / "agent").string()},
                          "agent");
  const auto made = ctl({"queue", "create", "q"});
  ASSERT_EQ(made.code, 0) << made.err;
  const auto done =
      ctl({"submit", world.write("jobs.yaml", deployment::jobs({{"exit 3"}})), "--wait"});
  EXPECT_EQ(done.code, 10) << done.out << done.err << content_of(world.folder() / "agent.log");
}

TEST_F(tls, a_strangers_server_is_refused_with_what_to_look_at) {
  const authority other{"IP:127.0.0.1"};
  const auto got = world.program(argosyd(other.ca_file()));
  EXPECT_EQ(got.code, 1);
  EXPECT_NE(got.err.find("nats.caFile"), std::string::npos) << got.err;
  const auto absent = world.program(argosyd("/nowhere/ca.pem"));
  EXPECT_EQ(absent.code, 2);
  EXPECT_NE(absent.err.find("/nowhere/ca.pem"), std::string::npos) << absent.err;
}

TEST_F(mutual_tls, contexts_carry_the_certificate_that_the_server_asks_for) {
  const auto config =
      world.write("argosyd.yaml", "nats:\n  caFile: " + own.ca_file() + "\n  certificateFile: " +
                                      own.certificate() + "\n  keyFile: " + own.key() +
                                      "\njournal:\n  logBytesMax: 64MiB\nhealth:\n  listen: "
                                      "127.0.0.1:0\n");
  const auto served =
      world.start_program({"argosyd", "--config", config, "--nats", url, "--data-dir",
                           world.data_dir().string(), "--ready-file", world.ready_file().string()},
                          "argosyd");
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(world.ready_file()); }))
      << world.log();
  const auto refused = ctl({"login", url, "--name", "work", "--ca-file", own.ca_file()});
  // Whether the server's alert or the end of the link comes first is a matter of chance.
  EXPECT_TRUE(refused.code == 4 || refused.code == 5) << refused.err;
  EXPECT_NE(refused.err.find("--cert-file and --key-file"), std::string::npos) << refused.err;
  const auto in = ctl(with_certificate({"login", url, "--name", "work"}));
  ASSERT_EQ(in.code, 0) << in.err;
  const auto queues = ctl({"get", "queues"});
  EXPECT_EQ(queues.code, 0) << queues.err;
  const auto set = ctl(with_certificate({"config", "set-context", "other", "--server", url}));
  EXPECT_EQ(set.code, 0) << set.err;
  EXPECT_EQ(ctl({"get", "queues", "--context", "other"}).code, 0);
  std::filesystem::remove(own.key());
  const auto gone = ctl({"get", "queues"});
  EXPECT_EQ(gone.code, 2) << gone.err;
  EXPECT_NE(gone.err.find(own.key()), std::string::npos) << gone.err;
}

}  // namespace

}  // namespace argosy::testing
