// SPDX-License-Identifier: Apache-2.0
// Goal: each way in which a run can fail has the category that users and policies name. Method: a
// table of ends.
#include <gtest/gtest.h>

#include "runtime/ledger/retry/failure_category.hpp"

namespace argosy::ledger {

TEST(failure_category, follows_the_word_then_the_signal_then_the_exit_code) {
  const struct {
    model::run_outcome outcome;
    failure_category expected;
  } rows[] = {
      {{1, 0, "Error", ""}, {"user_error", ""}},
      {{127, 0, "Error", ""}, {"user_error", ""}},
      {{139, 11, "Error", ""}, {"user_error", "signal"}},
      {{137, 9, "OOMKilled", ""}, {"oom", ""}},
      {{143, 15, "DeadlineExceeded", ""}, {"internal", "active-deadline"}},
      {{137, 9, "StorageExceeded", ""}, {"storage", ""}},
      {{std::nullopt, 0, "Lost", ""}, {"internal", "pod-missing"}},
      {{std::nullopt, 0, "LeaseExpired", ""}, {"internal", "lease-expired"}},
      {{std::nullopt, 0, "BackendError", ""}, {"internal", "job-creation-failed"}},
      {{std::nullopt, 0, "UserNotAllowed", ""}, {"user_error", "not-allowed"}},
      {{std::nullopt, 0, "Unsupported", ""}, {"user_error", "not-allowed"}},
      {{std::nullopt, 0, "ClusterRefused", ""}, {"internal", "job-creation-failed"}},
      {{std::nullopt, 0, "SubmissionRefused", ""}, {"user_error", "submission-refused"}},
      {{std::nullopt, 0, "QuotaExceeded", ""}, {"quota", ""}},
      {{137, 9, "Evicted", ""}, {"internal", "evicted"}},
      {{137, 9, "EvictedOnRequest", ""}, {"internal", "evicted"}},
      {{143, 15, "PreemptedByKubernetes", ""}, {"internal", "displaced"}},
      {{143, 15, "NodeShutdown", ""}, {"internal", "node-shutdown"}},
      {{143, 15, "Deleted", ""}, {"internal", "externally-deleted"}},
      {{std::nullopt, 0, "ErrImagePull", ""}, {"image", "pull"}},
      {{std::nullopt, 0, "ImagePullBackOff", ""}, {"image", "pull"}},
      {{std::nullopt, 0, "InvalidImageName", ""}, {"image", "name"}},
      {{std::nullopt, 0, "CreateContainerConfigError", ""}, {"user_error", "container"}},
      {{std::nullopt, 0, "InitDeadlineExceeded", ""}, {"user_error", "init-deadline"}},
      {{std::nullopt, 0, "", ""}, {"", ""}},
  };
  for (const auto& row : rows)
    EXPECT_EQ(category_of(row.outcome), row.expected)
        << row.outcome.reason << ' ' << row.outcome.exit_code.value_or(-1);
}

TEST(failure_category, is_what_a_rule_of_the_cluster_says_if_one_does) {
  EXPECT_EQ(category_of({3, 0, "Error", "", "gpu/driver/old"}),
            (failure_category{"gpu", "driver/old"}));
  EXPECT_EQ(category_of({137, 9, "OOMKilled", "", "gpu"}), (failure_category{"gpu", ""}));
}

}  // namespace argosy::ledger
