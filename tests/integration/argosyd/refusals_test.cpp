// SPDX-License-Identifier: Apache-2.0
// Goal: each kind of bad job file gives one clear message with its place and its cure, exit code 2,
// and submits nothing. Method: a table of files that differ from a good one in one place, given to
// argosyctl beside a running server.
#include "tests/support/process/deployment_fixture.hpp"

namespace argosy::testing {

namespace {

const std::string good_file =
    "queue: q\n"
    "jobSetId: s\n"
    "jobs:\n"
    "  - priority: 0\n"
    "    podSpec:\n"
    "      terminationGracePeriodSeconds: 1\n"
    "      containers:\n"
    "        - name: main\n"
    "          image: none\n"
    "          command: [/bin/sh, -c, \"true\"]\n"
    "          resources:\n"
    "            requests: {cpu: 10m, memory: 4Mi}\n"
    "            limits: {cpu: 10m, memory: 4Mi}\n";

std::string with(const std::string& from, const std::string& to) {
  auto text = good_file;
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string gang_member(const std::string& cardinality) {
  return with("  - priority: 0",
              "  - priority: 0\n"
              "    annotations: {armadaproject.io/gangId: g, armadaproject.io/gangCardinality: \"" +
                  cardinality + "\"}");
}

/// The one job of a file, without what stands before the list.
std::string job_of(const std::string& file) {
  return file.substr(file.find("  - priority"));
}

struct refusal {
  std::string what;
  std::string text;
  /// The place as "line:column".
  std::string place;
  std::string says;
};

std::vector<refusal> mistakes_of_form() {
  return {{"malformed", good_file + "  - ]\n", "14:5", "did not find expected node content"},
          {"tab", with("  - priority", "\t- priority"), "4:1", "use spaces"},
          {"alias", with("cpu: 10m", "cpu: *c"), "12:29", "no value with the anchor &c"},
          {"binary", std::string(3, '\1'), "1:1", "control characters are not allowed"},
          {"key twice", with("queue: q", "queue: q\nqueue: r"), "2:1", "'queue' stands here twice"},
          {"unknown field", with("image:", "imagee:"), "9:11", "did you mean 'image'?"},
          {"unknown key", with("jobSetId", "jobSetID"), "2:1", "did you mean 'jobSetId'?"},
          {"wrong type", with("priority: 0", "priority: high"), "4:15", "takes a number"},
          {"no list", with("[/bin/sh, -c, \"true\"]", "/bin/sh"), "10:20", "is a list"},
          {"empty", "", "1:1", "queue, jobSetId and jobs"},
          {"a list", "- a\n", "1:1", "queue, jobSetId and jobs"}};
}

std::vector<refusal> mistakes_of_content() {
  return {
      {"no queue", with("queue: q\n", ""), "1:1", "--queue"},
      {"no jobs", "queue: q\njobSetId: s\njobs: []\n", "1:1", "no jobs"},
      {"no pod", "queue: q\njobSetId: s\njobs:\n  - priority: 1\n", "4:5", "no podSpec"},
      {"two pods", with("    podSpec:", "    podSpecs:\n      - containers: []\n    podSpec:"),
       "4:5", "give exactly one pod"},
      {"no containers", "queue: q\njobSetId: s\njobs:\n  - podSpec: {containers: []}\n", "4:27",
       "at least one"},
      {"unlike limits", with("limits: {cpu: 10m", "limits: {cpu: 20m"), "13:22", "must be equal"},
      {"negative", with("{cpu: 10m", "{cpu: -1"), "12:29", "0 or more"},
      {"fraction", with("{cpu: 10m", "{cpu: 0.0001"), "12:29", "not a multiple of 1m"},
      {"overflow", with("memory: 4Mi", "memory: 99999999999Ei"), "12:42", "too large"},
      {"unlike resources", with("{cpu: 10m", "{pears: 1, cpu: 10m"), "12:24", "has no limit"},
      {"long job set", with("jobSetId: s", "jobSetId: " + std::string(5'000, 'x')), "2:11",
       "at most 1023"},
      {"long queue", with("queue: q", "queue: " + std::string(5'000, 'x')), "1:8", "at most 253"},
      {"bad queue", with("queue: q", "queue: Not+A+Name"), "1:8", "a-z"},
      {"control", with("jobSetId: s", "jobSetId: \"s\\u001b[2J\""), "2:11",
       "has a control character at byte 2"},
      {"gang too few", gang_member("2"), "4:1", "has 1 of 2 members"},
      {"gang unlike", gang_member("2") + job_of(gang_member("3")), "15:5",
       "all members must agree"},
      {"cardinality", gang_member("x"), "5:18", "whole number"},
      {"large pod", with("/bin/sh", std::string(70'000, 'x')), "6:7", "at most 65535"},
      {"grace", with("Seconds: 1", "Seconds: -5"), "6:38", "outside 1 to 300"}};
}

class refusals : public deployment_fixture {
 protected:
  void SetUp() override { start_with_queue(); }

  void expect_refused(const refusal& wrong) {
    const auto got = world.ctl({"submit", world.write("bad.yaml", wrong.text), "-o", "name"});
    EXPECT_EQ(got.code, 2) << wrong.what << ": " << got.err;
    EXPECT_EQ(got.out, "") << wrong.what;
    EXPECT_NE(got.err.find("bad.yaml:" + wrong.place + ": "), std::string::npos)
        << wrong.what << ": " << got.err;
    EXPECT_NE(got.err.find(wrong.says), std::string::npos) << wrong.what << ": " << got.err;
    EXPECT_EQ(lines_of(got.err).size(), 1u) << wrong.what << ": " << got.err;
    EXPECT_LT(got.err.size(), 1'000u) << wrong.what;
  }

  void expect_nothing_submitted() const {
    const auto jobs = world.ctl({"get", "jobs", "-o", "name"});
    EXPECT_EQ(jobs.code, 0) << jobs.err;
    EXPECT_EQ(jobs.out, "");
  }
};

TEST_F(refusals, a_file_of_bad_form) {
  for (const auto& wrong : mistakes_of_form()) expect_refused(wrong);
  expect_nothing_submitted();
}

TEST_F(refusals, a_file_of_bad_content) {
  for (const auto& wrong : mistakes_of_content()) expect_refused(wrong);
  expect_nothing_submitted();
}

TEST_F(refusals, the_good_file_is_taken) {
  const auto got = world.ctl({"submit", world.write("good.yaml", good_file), "-o", "name"});
  EXPECT_EQ(got.code, 0) << got.err;
  EXPECT_EQ(lines_of(got.out).size(), 1u);
}

TEST_F(refusals, one_bad_file_among_good_ones_submits_nothing) {
  const auto good = world.write("good.yaml", good_file);
  const auto bad = world.write("bad.yaml", with("image:", "imagee:"));
  const auto got = world.ctl({"submit", good, bad, good});
  EXPECT_EQ(got.code, 2) << got.err;
  EXPECT_NE(got.err.find("bad.yaml:9:11: "), std::string::npos) << got.err;
  EXPECT_EQ(world.ctl({"submit", good, "/absent.yaml"}).code, 2);
  expect_nothing_submitted();
}

TEST_F(refusals, an_unknown_queue_and_one_that_is_there_already) {
  const auto good = world.write("good.yaml", good_file);
  const auto unknown = world.ctl({"submit", good, "--queue", "qq"});
  EXPECT_EQ(unknown.code, 3) << unknown.err;
  EXPECT_NE(unknown.err.find("'qq'"), std::string::npos) << unknown.err;
  expect_nothing_submitted();
  const auto twice = world.ctl({"queue", "create", "q", "--priority-factor", "9"});
  EXPECT_EQ(twice.code, 6) << twice.err;
  EXPECT_NE(world.ctl({"get", "queue", "q", "-o", "json"}).out.find("\"priorityFactor\":1,"),
            std::string::npos)
      << "it is unchanged";
}

}  // namespace

}  // namespace argosy::testing
