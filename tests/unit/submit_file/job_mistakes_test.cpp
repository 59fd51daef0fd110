// SPDX-License-Identifier: Apache-2.0
// Goal: all mistakes of a job file are told at once, values that can hardly be meant are remarked,
// and what repeats can be said once. Method: whole files are read; the lines that come out, or the
// jobs, are compared.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "messages/submit_file/job_file.hpp"

namespace argosy::submit_file {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string head = "queue: q\njobSetId: s\njobs:\n";

/// A job on a line of its own.
std::string job_line(const std::string& more = {}, const std::string& container = {}) {
  return "- {" + more + "podSpec: {containers: [{name: c, command: [x], " + container +
         "resources: {requests: {cpu: 1}, limits: {cpu: 1}}}]}}\n";
}

std::vector<std::string> mistakes_of(const std::string& text) {
  const auto file = read_jobs(text, "f");
  std::vector<std::string> lines;
  if (file) return lines;
  std::istringstream in{file.error().detail};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> remarks_of(const std::string& text) {
  const auto file = read_jobs(text, "f");
  EXPECT_TRUE(file) << file.error().detail;
  return file ? file->remarks : std::vector<std::string>{};
}

TEST(job_mistakes, all_of_a_file_are_told_in_its_order) {
  EXPECT_THAT(
      mistakes_of("queue: q!\njobSetId: s\nowner: me\njobs:\n" +
                  job_line("priority: high, labels: {a: }, ", "imagePullPolcy: y, ") + job_line() +
                  "- text\n" + job_line("namespace: N, ")),
      ElementsAre(HasSubstr("f:1:8: queue 'q!'"), HasSubstr("f:3:1: unknown field 'owner'"),
                  HasSubstr("f:5:14: 'priority' takes a number"),
                  HasSubstr("f:5:32: 'a' has no value"),
                  HasSubstr("f:5:82: unknown field 'imagePullPolcy'"),
                  HasSubstr("f:7:3: a job is a mapping"), HasSubstr("f:8:15: namespace 'N'")));
}

TEST(job_mistakes, what_stands_before_a_broken_line_is_told_with_it) {
  EXPECT_THAT(
      mistakes_of(head + job_line("priority: high, ") + "- {a: b: c}\n"),
      ElementsAre(HasSubstr("f:4:14: 'priority'"), HasSubstr("f:5:8: did not find expected")));
}

TEST(job_mistakes, are_at_most_twenty_and_the_last_line_says_so) {
  auto text = head;
  for (int i = 0; i < 30; ++i) text += job_line("priorty: 1, ");
  const auto lines = mistakes_of(text);
  ASSERT_EQ(lines.size(), 21U);
  EXPECT_THAT(lines.at(19), HasSubstr("f:23:4: unknown field 'priorty'"));
  EXPECT_THAT(lines.at(20), HasSubstr("there may be more mistakes; after 20"));
}

TEST(job_mistakes, a_mistake_in_a_repeated_value_is_told_once) {
  EXPECT_THAT(mistakes_of(head + "- podSpec: &p {containers: [{name: c, resources: {requests: "
                                 "{cpu: x}, limits: {cpu: 1}}}]}\n- podSpec: *p\n"),
              ElementsAre(HasSubstr("f:4:67: cpu: 'x' is not a quantity")));
}

TEST(job_mistakes, take_one_line_each_whatever_they_quote) {
  EXPECT_THAT(mistakes_of(head + job_line("namespace: \"a\\nb\", ")),
              ElementsAre(HasSubstr("f:4:15: namespace 'a")));
  EXPECT_THAT(mistakes_of(head + job_line("\"a\\nb\": 1, ")),
              ElementsAre(HasSubstr("f:4:4: unknown field 'a\\nb'")));
}

TEST(job_mistakes, requests_and_limits_name_the_same_resources) {
  const auto resources = [](const std::string& text) {
    return head + "- podSpec: {containers: [{command: [x], resources: " + text + "}]}\n";
  };
  EXPECT_THAT(
      mistakes_of(head + "- podSpec: {containers: [{command: [x]}], initContainers: [{}]}\n"),
      ElementsAre(HasSubstr("f:4:26: the container has neither requests nor limits"),
                  HasSubstr("f:4:60: the container has neither")));
  EXPECT_THAT(mistakes_of(resources("{}")), ElementsAre(HasSubstr("f:4:52: the container has n")));
  EXPECT_THAT(mistakes_of(resources("{requests: {cpu: 1, memory: 1Gi}, limits: {cpu: 1}}")),
              ElementsAre(HasSubstr("f:4:72: 'memory' has no limit")));
  EXPECT_THAT(mistakes_of(resources("{limits: {cpu: 1}}")),
              ElementsAre(HasSubstr("f:4:62: 'cpu' has no request")));
  EXPECT_THAT(
      mistakes_of(resources("{requests: {cpu: 2}, limits: {cpu: 1500m}}")),
      ElementsAre(HasSubstr("f:4:87: the limit '1500m' of 'cpu' is below the request '2'")));
  // Whether a limit may be above the request is the server's to know.
  EXPECT_THAT(mistakes_of(resources("{requests: {cpu: 1}, limits: {cpu: 2}}")), IsEmpty());
}

TEST(job_remarks, are_made_about_what_can_hardly_be_meant) {
  EXPECT_THAT(remarks_of(head + job_line("priority: 0, ")), IsEmpty());
  EXPECT_THAT(remarks_of(head + job_line("priority: -0.0, ")), IsEmpty());
  EXPECT_THAT(remarks_of(head + job_line("priority: -1, ")),
              ElementsAre(HasSubstr("f:4:14: priority -1 counts as 0")));
  EXPECT_THAT(remarks_of(head + "- podSpec:\n    restartPolicy: Always\n    containers:\n"
                                "    - resources: {requests: {cpu: 0}, limits: {cpu: 0}}\n"),
              ElementsAre(HasSubstr("f:5:20: restartPolicy 'Always' has no effect"),
                          HasSubstr("f:7:7: the container has neither an image nor a command"),
                          HasSubstr("f:7:35: a request of no cpu")));
  EXPECT_THAT(remarks_of(head + "- podSpec:\n    restartPolicy: Never\n    containers:\n"
                                "    - {image: i, resources: {requests: {cpu: 1, x/gpu: 0}, "
                                "limits: {cpu: 1, x/gpu: 0}}}\n"),
              IsEmpty());
}

TEST(job_remarks, equal_ones_are_made_once) {
  EXPECT_THAT(remarks_of(head + job_line("priority: -1, ") + job_line("priority: -1, ")),
              ElementsAre(EndsWith("(stands here 2 times)")));
}

TEST(job_count, makes_equal_jobs) {
  const auto file = read_jobs(head + job_line("count: 3, ") + job_line("priority: 7, "), "f");
  ASSERT_TRUE(file) << file.error().detail;
  ASSERT_EQ(file->jobs.size(), 4U);
  EXPECT_EQ(file->jobs[0].item, file->jobs[2].item);
  EXPECT_NE(file->jobs[0].item, file->jobs[3].item);
  EXPECT_EQ(file->jobs[2].number, 0U);
  EXPECT_EQ(file->jobs[3].number, 1U);
  EXPECT_EQ(read_jobs(head + job_line(), "f")->jobs[0].item,
            read_jobs(head + job_line("count: 1, "), "f")->jobs[0].item);
}

TEST(job_count, writes_a_gang_in_a_few_lines) {
  const std::string gang =
      "annotations: {armadaproject.io/gangId: g, armadaproject.io/gangCardinality: 64}, ";
  const auto file = read_jobs(head + job_line("count: 64, " + gang), "f");
  ASSERT_TRUE(file) << file.error().detail;
  EXPECT_EQ(file->jobs.size(), 64U);
  EXPECT_EQ(file->jobs[63].gang, "g");
  EXPECT_THAT(mistakes_of(head + job_line("count: 63, " + gang)),
              ElementsAre(HasSubstr("gang 'g' has 63 of 64 members")));
  EXPECT_THAT(mistakes_of(head + job_line("count: 65, " + gang)),
              ElementsAre(HasSubstr("gang 'g' has more members")));
}

TEST(job_count, must_be_a_number_of_jobs) {
  for (const auto* const wrong : {"0", "-1", "1.5", "x", "'3'", "100001", "[1]"})
    EXPECT_THAT(mistakes_of(head + job_line("count: " + std::string{wrong} + ", ")),
                ElementsAre(HasSubstr("f:4:11: 'count' takes a whole number from 1 to 100000")));
  EXPECT_THAT(mistakes_of(head + job_line("count: 2, clientId: c, ")),
              ElementsAre(HasSubstr("f:4:24: a clientId names one job")));
  auto many = head;
  for (int i = 0; i < 4; ++i)
    many += job_line("count: 100000, labels: {a: " + std::string(1'000, 'x') + "}, ");
  EXPECT_THAT(mistakes_of(many), ::testing::Contains(HasSubstr("more than 268435456 bytes")));
}

TEST(job_anchors, what_repeats_is_said_once) {
  const auto file = read_jobs(
      "queue: q\njobSetId: s\n"
      "x-pod: &pod\n  restartPolicy: Never\n"
      "x-resources: &r {requests: {cpu: 1}, limits: {cpu: 1}}\n"
      "jobs:\n"
      "- &first {priority: 1, podSpec: {<<: *pod, containers: [{command: [x], resources: *r}]}}\n"
      "- {<<: *first, priority: 2}\n"
      "- *first\n",
      "f");
  ASSERT_TRUE(file) << file.error().detail;
  ASSERT_EQ(file->jobs.size(), 3U);
  EXPECT_EQ(file->jobs[0].item, file->jobs[2].item);
  EXPECT_NE(file->jobs[0].item, file->jobs[1].item);
}

TEST(job_examples, are_read_without_a_mistake_or_a_remark) {
  for (const auto* const name : {"fails", "gang", "primes", "repeats", "sleeps"}) {
    const auto path = std::string{ARGOSY_SOURCE_DIR} + "/config/examples/" + name + ".yaml";
    std::ifstream in{path};
    const std::string text{std::istreambuf_iterator<char>{in}, {}};
    const auto file = read_jobs(text, path);
    ASSERT_TRUE(file) << file.error().detail;
    EXPECT_THAT(file->remarks, IsEmpty());
  }
}

}  // namespace
}  // namespace argosy::submit_file
