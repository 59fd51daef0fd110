// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/requeue_settings.hpp"

namespace argosy::settings {

void describe_requeue(field_table& table, ledger::queue_config& item) {
  table.section("requeue", "Jobs queue again whose runs are ended from outside.");
  table.value("requeue.max", item.disruptions_max,
              "How often a job may queue again, with its gang, because its run was ended from "
              "outside: its pod was evicted, displaced or deleted, or its node was drained, shut "
              "down or taken away. From 0 on; with 0, and always with the preset current, such a "
              "job fails, unless its queue's retry policy has it tried again.");
}

void describe_retries(field_table& table, ledger::queue_config& item) {
  table.section("retries",
                "Retry policies, which queues name, have jobs tried again whose runs failed.");
  table.value("retries.enabled", item.retries.enabled,
              "Whether retry policies decide anything: true or false. Without it they can be made "
              "and named, and a run that fails ends its job.");
  table.value("retries.limitMax", item.retries.limit_max,
              "How often any job may be tried again, whatever its policy says, from 0 on. With 0 "
              "nothing is tried again.");
  table.value("retries.defaultPolicy", item.retries.default_policy,
              "The policy of queues that name none. It may be made later; until then nothing of "
              "theirs is tried again. Empty means none.");
}

}  // namespace argosy::settings
