// SPDX-License-Identifier: Apache-2.0
// Goal: an operator can keep ended jobs for spans that depend on state and queue, and a mistake is
// refused with its place. Method: texts in memory.
#include "runtime/settings/retention_settings.hpp"

#include <gmock/gmock.h>

#include "runtime/settings/load.hpp"

namespace argosy::settings {
namespace {

using namespace std::chrono_literals;
using ledger::kept_for;
using model::job_state;

result<loaded<argosyd_settings>> load(std::string below_store) {
  sources from;
  from.file = {"f.yaml", "store:\n" + std::move(below_store)};
  return load_argosyd(from);
}

std::string error_of(std::string below_store) {
  const auto all = load(std::move(below_store));
  return all ? "accepted" : all.error().detail;
}

TEST(retention_settings, say_nothing_of_states_and_queues_unless_told) {
  const auto all = load("  jobRetention: 3d\n");
  ASSERT_TRUE(all);
  EXPECT_EQ(kept_for(all->value.retention, "q", job_state::failed), 72h);
  EXPECT_TRUE(all->value.retention.jobs_by_queue.empty());
}

TEST(retention_settings, name_states_and_queues) {
  const auto all = load(
      "  jobRetention: 3d\n"
      "  jobRetentionByState: {succeeded: 2d, failed: 14d, preempted: null}\n"
      "  jobRetentionByQueue:\n"
      "  - {queue: nightly, failed: 90d}\n"
      "  - queue: ci-*\n"
      "    all: 12h\n"
      "    rejected: 1h\n");
  ASSERT_TRUE(all) << all.error().detail;
  const auto& rules = all->value.retention;
  EXPECT_EQ(kept_for(rules, "q", job_state::succeeded), 48h);
  EXPECT_EQ(kept_for(rules, "q", job_state::preempted), 72h);
  EXPECT_EQ(kept_for(rules, "nightly", job_state::failed), 90 * 24h);
  EXPECT_EQ(kept_for(rules, "nightly", job_state::succeeded), 48h);
  EXPECT_EQ(kept_for(rules, "ci-1", job_state::failed), 12h);
  EXPECT_EQ(kept_for(rules, "ci-1", job_state::rejected), 1h);
}

TEST(retention_settings, are_refused_with_the_place_of_the_mistake) {
  EXPECT_EQ(error_of("  jobRetentionByState:\n    success: 2d\n"),
            "f.yaml:3:5: unknown key 'success' in store.jobRetentionByState; known are succeeded, "
            "failed, preempted, cancelled, rejected");
  EXPECT_EQ(error_of("  jobRetentionByState: {failed: 59s}\n"),
            "f.yaml:2:33: store.jobRetentionByState.failed: must be at least 1m");
  EXPECT_EQ(error_of("  jobRetentionByState: {failed: -2d}\n"),
            "f.yaml:2:33: store.jobRetentionByState.failed: '-2d' is not a duration; write for "
            "example 20ms, 1s, 1h30m or 7d");
  EXPECT_EQ(error_of("  jobRetentionByState: 2d\n"),
            "f.yaml:2:24: store.jobRetentionByState: is a section; write its keys below it");
  EXPECT_EQ(error_of("  jobRetentionByQueue:\n  - {queue: a, runing: 2d}\n"),
            "f.yaml:3:16: unknown key 'runing'; known are queue, all, succeeded, failed, "
            "preempted, cancelled, rejected");
  EXPECT_EQ(error_of("  jobRetentionByQueue:\n  - {queue: a, all: 1s}\n"),
            "f.yaml:3:21: all: must be at least 1m");
  EXPECT_EQ(
      error_of("  jobRetentionByQueue:\n  - {queue: a*b, all: 1d}\n"),
      "f.yaml:3:13: queue: queue 'a*b': character 2 is not one of A-Z, a-z, 0-9, '-', '_' and "
      "'.'; write a name, or the beginning of names and '*'");
}

TEST(retention_settings, need_a_queue_once_and_a_span_in_each_item) {
  const std::string place = "f.yaml:3:3: store.jobRetentionByQueue: ";
  const std::string list = "  jobRetentionByQueue:\n";
  EXPECT_EQ(error_of(list + "  - {all: 1d}\n"), place + "needs a queue in each item");
  EXPECT_EQ(error_of(list + "  - {queue: a, all: 1d}\n  - {queue: a, failed: 1d}\n"),
            place + "names 'a' twice");
  EXPECT_EQ(error_of(list + "  - {queue: a}\n"),
            place +
                "says nothing of 'a'; give it all, succeeded, failed, preempted, cancelled or "
                "rejected");
}

TEST(retention_settings, come_back_as_they_are_printed) {
  argosyd_settings some;
  some.retention.jobs_by_state.failed = 14 * 24h;
  some.retention.jobs_by_queue = {{"*", 36h, {{}, 48h, {}, {}, {}}}};
  field_table table;
  describe(table, some);
  EXPECT_EQ(table.find("store.jobRetentionByState.failed")->bound->print(), "14d");
  EXPECT_EQ(table.find("store.jobRetentionByState.rejected")->bound->print(), "null");
  const auto text = table.find("store.jobRetentionByQueue")->bound->print();
  EXPECT_EQ(text, "[{queue: \"*\", all: 36h, failed: 2d}]");
  sources from;
  from.environment = [&](const std::string& name) {
    return name == "ARGOSY_STORE_JOB_RETENTION_BY_QUEUE" ? std::optional{text} : std::nullopt;
  };
  const auto again = load_argosyd(from);
  ASSERT_TRUE(again) << again.error().detail;
  EXPECT_EQ(kept_for(again->value.retention, "q", job_state::failed), 48h);
}

}  // namespace
}  // namespace argosy::settings
