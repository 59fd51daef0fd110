// SPDX-License-Identifier: Apache-2.0
// Goal: a mistake in a configuration is reported with its place and its cure before anything is
// started. Method: argosyd and argosy-agent get one bad file for each kind of mistake.
#include "tests/support/process/deployment_fixture.hpp"

namespace argosy::testing {

namespace {

/// A bad file, and what the message about it must have: the place and the cure.
struct mistake {
  std::string text;
  std::string place;
  std::string cure;
};

class config : public deployment_fixture {
 protected:
  void expect_refused(const std::vector<std::string>& words, const mistake& wrong) {
    const auto got = world.program(words);
    EXPECT_EQ(got.code, 2) << wrong.text;
    EXPECT_EQ(got.out, "") << wrong.text;
    EXPECT_NE(got.err.find("bad.yaml:" + wrong.place + ": "), std::string::npos) << got.err;
    EXPECT_NE(got.err.find(wrong.cure), std::string::npos) << got.err;
    EXPECT_EQ(lines_of(got.err).size(), 1u) << got.err;
    EXPECT_FALSE(std::filesystem::exists(world.data_dir()));
  }
};

TEST_F(config, argosyd_names_line_column_and_cure_of_a_mistake) {
  const std::vector<mistake> mistakes{
      {"dataDir: /x\njournl:\n  replicas: 1\n", "2:1", "did you mean 'journal'?"},
      {"cycle:\n  perod: 1s\n", "2:3", "did you mean 'period'?"},
      {"cycle:\n  period: fast\n", "2:11", "20ms"},
      {"cycle:\n  period: [1s]\n", "2:11", "must be a duration"},
      {"journal:\n  replicas: many\n", "2:13", "number"},
      {"cycle: 1s\n", "1:8", "cycle"},
      {"cycle:\n  period: 1s\n  period: 2s\n", "3:3", "period"},
      {"cycle:\n  period: &p 1s\n", "2:11", "anchors (&name) are not allowed"},
      {"cycle:\n  period: *p\n", "2:11", "not allowed"},
      {"cycle:\n  period: [1s\nhealth: {}\n", "3:7", "',' or ']'"},
      {"cycle:\n\tperiod: 1s\n", "2:1", "tab"},
      {"journal:\n  replicas: 2\n", "2:13", "1, 3 or 5"},
      {"api:\n  defaultJobLimits: {foo: 1}\n", "2:21", "neither in scheduling.resources"},
      {"scheduling:\n  maximumSchedulingRate: 5.0\n", "2:26", "needs maximumSchedulingBurst"}};
  for (const auto& wrong : mistakes) {
    const auto file = world.write("bad.yaml", wrong.text);
    expect_refused({"argosyd", "config", "check", "--config", file}, wrong);
    expect_refused({"argosyd", "--dev", "--config", file, "--data-dir", world.data_dir().string()},
                   wrong);
  }
}

TEST_F(config, for_those_who_come_from_armada_is_valid) {
  const std::string file = ARGOSY_SOURCE_DIR "/config/examples/argosyd-from-armada.yaml";
  const auto got = world.program({"argosyd", "config", "check", "--config", file});
  EXPECT_EQ(got.code, 0) << got.err;
}

TEST_F(config, argosy_agent_names_line_column_and_cure_of_a_mistake) {
  const std::vector<mistake> mistakes{
      {"heartbeet: 1s\n", "1:1", "did you mean 'heartbeat'?"},
      {"heartbeat: {}\n", "1:12", "must be a duration"},
      {"backend: proces\n", "1:10", "process"},
      {"simulated:\n  nodes:\n    - name: n\n      coun: 3\n", "4:7", "did you mean 'count'?"},
      {"pool: &p x\n", "1:7", "anchors (&name) are not allowed"},
      {"kubernetes: {namespaces: [jobs, Bad_NS]}\n", "1:26", "no namespace of Kubernetes"},
      {"kubernetes: {namespaces: ['']}\n", "1:26", "no namespace of Kubernetes"},
      {"process: {labels: {a: b\n", "2:1", "',' or '}'"}};
  for (const auto& wrong : mistakes) {
    const auto file = world.write("bad.yaml", wrong.text);
    expect_refused({"argosy-agent", "config", "check", "--config", file}, wrong);
    expect_refused({"argosy-agent", "--cluster", "c", "--nats", "nats://127.0.0.1:1", "--config",
                    file, "--data-dir", world.data_dir().string()},
                   wrong);
  }
}

TEST_F(config, an_empty_flag_is_not_taken_for_an_absent_one) {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"argosyd", "--dev", "--data-dir", ""},
           {"argosyd", "config", "check", "--config", ""},
           {"argosyd", "init", (world.folder() / "to").string(), "--url", ""},
           {"argosyd", "backup", ""},
           {"argosy-agent", "--cluster", "c", "--nats", ""}}) {
    const auto got = world.program(words);
    EXPECT_EQ(got.code, 2) << words[1];
    EXPECT_NE(got.err.find("empty"), std::string::npos) << got.err;
  }
}

TEST_F(config, mistakes_elsewhere_are_named_too) {
  const auto absent = world.program({"argosyd", "config", "check", "--config", "/absent.yaml"});
  EXPECT_EQ(absent.code, 2);
  EXPECT_NE(absent.err.find("/absent.yaml"), std::string::npos) << absent.err;
  const auto flag = world.program({"argosyd", "--sim-clusters", "2"});
  EXPECT_EQ(flag.code, 2);
  EXPECT_NE(flag.err.find("--dev"), std::string::npos) << flag.err;
  const auto unnamed = world.program({"argosy-agent", "--nats", "nats://127.0.0.1:1"});
  EXPECT_EQ(unnamed.code, 2);
  EXPECT_NE(unnamed.err.find("--cluster"), std::string::npos) << unnamed.err;
  const auto unknown = world.program({"argosy-agent", "--bogus"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("--bogus"), std::string::npos) << unknown.err;
}

TEST_F(config, check_warns_of_what_is_valid_and_not_meant) {
  const auto file = world.write(
      "risky.yaml",
      "grpc:\n  listen: 0.0.0.0:0\n  anonymousRole: operator\nnats:\n  caFile: /absent.pem\n");
  const auto argosyd = std::string{ARGOSY_BIN_DIR} + "/argosyd";
  const auto got = world.program(
      {"/usr/bin/env", "ARGOSY_CYCLE_PEROID=1s", argosyd, "config", "check", "--config", file});
  EXPECT_EQ(got.code, 0) << got.err;
  EXPECT_EQ(got.out, "the configuration is valid\n");
  for (const auto* words : {"risky.yaml:2:11: grpc.listen", "risky.yaml:3:18: grpc.anonymousRole",
                            "risky.yaml:5:11: nats.caFile names '/absent.pem', which is not there",
                            "variable ARGOSY_CYCLE_PEROID names no setting; did you mean"})
    EXPECT_NE(got.err.find(words), std::string::npos) << words << "\n" << got.err;
  for (const auto* wrong :
       {"OTEL_EXPORTER_OTLP_ENDPOINT=ftp://x", "OTEL_TRACES_SAMPLER_ARG=much"}) {
    const auto refused =
        world.program({"/usr/bin/env", "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:9",
                       "OTEL_TRACES_SAMPLER=traceidratio", wrong, argosyd, "config", "check"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.err.find("OTEL_"), std::string::npos) << refused.err;
  }
  const auto elsewhere = world.write("elsewhere.yaml", "health: {listen: '192.0.2.7:80'}\n");
  for (const auto* program : {"argosyd", "argosy-agent"}) {
    const auto told = world.program({program, "config", "check", "--config", elsewhere});
    EXPECT_NE(told.err.find("this machine does not have the address 192.0.2.7"), std::string::npos)
        << told.err;
  }
  const auto sound = world.write("sound.yaml", "nats: {url: 'tls://n.example.com:4222'}\n");
  for (const auto* program : {"argosyd", "argosy-agent"})
    EXPECT_EQ(world.program({program, "config", "check", "--config", sound}).err, "");
}

TEST_F(config, print_shows_what_is_in_effect_and_can_be_read_again) {
  const auto file = world.write("good.yaml", "cycle:\n  period: 3s\n");
  const auto shown = world.program({"argosyd", "config", "print", "--config", file});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_NE(shown.out.find("period: 3s  # "), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("good.yaml:2"), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("  # default"), std::string::npos) << shown.out;
  const auto again = world.write("again.yaml", shown.out);
  EXPECT_EQ(world.program({"argosyd", "config", "check", "--config", again}).code, 0);
  const auto agent = world.program({"argosy-agent", "config", "print"});
  EXPECT_EQ(agent.code, 0) << agent.err;
  const auto agent_again = world.write("agent.yaml", agent.out);
  const auto checked = world.program({"argosy-agent", "config", "check", "--config", agent_again});
  EXPECT_EQ(checked.code, 0) << checked.err;
}

TEST_F(config, dev_keeps_what_the_file_says) {
  const auto file = world.write("good.yaml", "api:\n  defaultJobLimits: {cpu: 2, memory: 3Gi}\n");
  const auto shown = world.program({"argosyd", "--dev", "--config", file, "config", "print"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_NE(shown.out.find("defaultJobLimits: {cpu: 2, memory: 3Gi}"), std::string::npos)
      << shown.out;
}

TEST_F(config, the_sample_files_are_valid) {
  const std::string samples = std::string{ARGOSY_SOURCE_DIR} + "/config/";
  for (const auto* program : {"argosyd", "argosy-agent"}) {
    const auto name = std::string{program} == "argosyd" ? "argosyd.yaml" : "agent.yaml";
    const auto got = world.program({program, "config", "check", "--config", samples + name});
    EXPECT_EQ(got.code, 0) << got.err;
  }
}

}  // namespace

}  // namespace argosy::testing
