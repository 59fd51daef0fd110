// SPDX-License-Identifier: Apache-2.0
// Goal: limits and rules for pods in trouble are read as operators of Armada write them, and each
// mistake is named with its place.
// Method: texts in memory.
#include <gmock/gmock.h>

#include "runtime/settings/load.hpp"

namespace argosy::settings {
namespace {

using namespace std::chrono_literals;
using backends::check_action;
using backends::event_type;
using backends::quota_action;
using backends::trouble_rules;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

sources trouble_section(const std::string& text) {
  sources from;
  from.file = {"a.yaml", "kubernetes:\n" + text};
  return from;
}

trouble_rules loaded_trouble(const std::string& text) {
  auto all = load_agent(trouble_section(text));
  if (!all) throw std::runtime_error(all.error().detail);
  return all->value.kubernetes.rules.trouble;
}

std::string trouble_mistake(const std::string& text) {
  const auto all = load_agent(trouble_section(text));
  return all ? "accepted" : all.error().detail;
}

TEST(pod_trouble_section, takes_limits_and_rules) {
  const auto all = loaded_trouble(
      "  noteAfter: 3s\n"
      "  initWait: 0s\n"
      "  volumeWait: 2m\n"
      "  startWait: 0s\n"
      "  eventChecks:\n"
      "    - {regexp: 'Failed to pull', type: Warning, gracePeriod: 90s, action: Retry}\n"
      "    - {regexp: 'Scheduled', inverse: true, type: Normal}\n"
      "  containerChecks:\n"
      "    - {reasonRegexp: '^ErrImage', state: Waiting, gracePeriod: 5s, action: Fail}\n"
      "  fatalSubmissionErrors: ['webhook .* denied']\n"
      "  onQuotaExceeded: fail\n"
      "  failureRules:\n"
      "    - {category: gpu, subcategory: driver, exitCodesIn: [74], containerName: main}\n"
      "    - {category: infra, reasons: [Evicted, NodeShutdown], hint: 'try again'}\n");
  EXPECT_EQ(all.note_after, 3s);
  EXPECT_EQ(all.init_wait, 0s);
  EXPECT_EQ(all.volume_wait, 2min);
  EXPECT_EQ(all.start_wait, 0s);
  ASSERT_EQ(all.event_checks.size(), 2U);
  EXPECT_EQ(all.event_checks[0].rule.grace_period, 90s);
  EXPECT_EQ(all.event_checks[0].rule.action, check_action::retry);
  EXPECT_TRUE(all.event_checks[1].rule.inverse);
  EXPECT_EQ(all.event_checks[1].type, event_type::normal);
  ASSERT_EQ(all.container_checks.size(), 1U);
  EXPECT_EQ(all.container_checks[0].rule.expression.text(), "^ErrImage");
  EXPECT_EQ(all.on_quota_exceeded, quota_action::fail);
  ASSERT_EQ(all.failure_rules.size(), 2U);
  EXPECT_THAT(all.failure_rules[0].exit_codes_in, ElementsAre(74));
  EXPECT_THAT(all.failure_rules[1].reasons, ElementsAre("Evicted", "NodeShutdown"));
}

TEST(pod_trouble_section, ends_runs_whose_image_has_no_proper_name_by_itself) {
  const auto all = loaded_trouble("  noteAfter: 3s\n");
  ASSERT_EQ(all.container_checks.size(), 1U);
  EXPECT_EQ(all.container_checks[0].rule.expression.text(), "^InvalidImageName$");
  EXPECT_EQ(all.container_checks[0].rule.action, check_action::fail);
}

TEST(pod_trouble_section, names_each_mistake_with_its_place) {
  const struct {
    const char* text;
    const char* complaint;
  } rows[] = {
      {"  eventChecks: [{regexp: 'a('}]\n", "a.yaml:2"},
      {"  eventChecks: [{regexp: 'a('}]\n", "regular expression of RE2: missing )"},
      {"  eventChecks: [{type: Warning}]\n", "needs a regexp"},
      {"  eventChecks: [{regexp: a, action: Stop}]\n", "Fail"},
      {"  eventChecks: [{regexp: a, gracePeriod: 25h}]\n", "from 0s to 1d"},
      {"  eventChecks: [{regexp: 'a{1000}{1000}'}]\n", "regular expression"},
      {"  containerChecks: [{state: Waiting}]\n", "needs a reasonRegexp"},
      {"  fatalSubmissionErrors: ['']\n", "empty expression"},
      {"  fatalSubmissionErrors: ['[']\n", "missing ]"},
      {"  onQuotaExceeded: never\n", "retry"},
      {"  failureRules: [{exitCodesIn: [1]}]\n", "needs a category"},
      {"  failureRules: [{category: a/b}]\n", "without '/'"},
      {"  failureRules: [{category: a, exitCodesIn: [1], exitCodesNotIn: [2]}]\n", "one is enough"},
      {"  imageWait: 0s\n", "from 1s"},
  };
  for (const auto& row : rows)
    EXPECT_THAT(trouble_mistake(row.text), HasSubstr(row.complaint)) << row.text;
}

}  // namespace
}  // namespace argosy::settings
