// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/retention_settings.hpp"

#include <array>
#include <set>
#include <string_view>

#include "runtime/base/clock.hpp"
#include "runtime/model/queue.hpp"

namespace argosy::settings {

namespace {

using namespace std::chrono_literals;
using ledger::kept_by_state;
using ledger::queue_retention;

complaint check_span(const kept_by_state::span& value) {
  return value ? at_least<boot_time>(1min)(*value) : std::nullopt;
}

/// A field for each state in which jobs end.
void describe_states(field_table& table, const std::string& prefix, kept_by_state& item,
                     std::string_view doc) {
  struct named_span {
    std::string_view name;
    kept_by_state::span& value;
  };
  const std::array all{named_span{"succeeded", item.succeeded}, named_span{"failed", item.failed},
                       named_span{"preempted", item.preempted},
                       named_span{"cancelled", item.cancelled},
                       named_span{"rejected", item.rejected}};
  for (const auto& [name, value] : all) {
    auto said = std::string{doc};
    if (const auto at = said.find("STATE"); at != std::string::npos) said.replace(at, 5, name);
    table.value(prefix + std::string{name}, value, std::move(said),
                rule<kept_by_state::span>{check_span});
  }
}

complaint check_queue(const std::string& text) {
  std::string_view name = text;
  const bool is_beginning = name.ends_with('*');
  if (is_beginning) name.remove_suffix(1);
  if (is_beginning && name.empty()) return std::nullopt;
  if (const auto ok = model::validate_queue_name(name, "queue"); !ok)
    return ok.error().detail + "; write a name, or the beginning of names and '*'";
  return std::nullopt;
}

bool says_something(const queue_retention& item) {
  const auto& of = item.by_state;
  return item.all || of.succeeded || of.failed || of.preempted || of.cancelled || of.rejected;
}

complaint check_queues(const std::vector<queue_retention>& list) {
  std::set<std::string> seen;
  for (const auto& item : list) {
    if (item.pattern.empty()) return "needs a queue in each item";
    if (!seen.insert(item.pattern).second) return "names '" + item.pattern + "' twice";
    if (!says_something(item))
      return "says nothing of '" + item.pattern +
             "'; give it all, succeeded, failed, preempted, cancelled or rejected";
  }
  return std::nullopt;
}

}  // namespace

void describe(field_table& table, queue_retention& item) {
  table.value("queue", item.pattern, "", rule<std::string>{check_queue});
  table.value("all", item.all, "", rule<kept_by_state::span>{check_span});
  describe_states(table, "", item.by_state, "");
}

void describe_retention(field_table& table, ledger::retention_config& item) {
  table.endless("store.eventRetention", item.events,
                "For how long events of job sets can be read, from 1m on. Longer values take more "
                "disk.",
                at_least<boot_time>(1min));
  table.endless(
      "store.jobRetention", item.jobs,
      "For how long jobs that have ended can be listed and described, and clusters that have "
      "left are kept, from 1m on. Longer values take more disk. This key and those of "
      "jobRetentionByState and jobRetentionByQueue can change while argosyd runs, by argosyctl "
      "config reload or argosyctl config set.",
      at_least<boot_time>(1min));
  table.section("store.jobRetentionByState",
                "The same for jobs that ended in one state, each from 1m on. null: jobRetention "
                "says it.");
  describe_states(table, "store.jobRetentionByState.", item.jobs_by_state,
                  "For how long jobs are kept whose state is STATE.");
  table.value("store.jobRetentionByQueue", item.jobs_by_queue,
              "The same for ended jobs of some queues, as [{queue: NAME, all: 30d, failed: 90d}]. "
              "all is for the states that have no span of their own there. A name may be the "
              "beginning of names and *, as in ci-*. The whole name counts before beginnings, "
              "longer beginnings before shorter ones, and where none of them says anything of a "
              "state, the keys above do.",
              rule<std::vector<queue_retention>>{check_queues});
}

}  // namespace argosy::settings
