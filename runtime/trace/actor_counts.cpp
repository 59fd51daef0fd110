// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace/actor_counts.hpp"

#include <algorithm>
#include <map>
#include <mutex>

namespace argosy::trace {

namespace {

struct count_table {
  std::mutex mutex;
  std::map<name_id, actor_type_count> types;
};

/// Never destroyed: actors may end while the process does.
count_table& table() {
  static auto* const instance = new count_table;
  return *instance;
}

}  // namespace

void note_actor_started(name_id type) {
  const std::lock_guard lock{table().mutex};
  auto& count = table().types[type];
  ++count.instances;
  ++count.started;
}

void note_actor_ended(name_id type) {
  const std::lock_guard lock{table().mutex};
  --table().types[type].instances;
}

std::vector<actor_type_count> actor_type_counts() {
  std::vector<actor_type_count> counts;
  {
    const std::lock_guard lock{table().mutex};
    for (const auto& [type, count] : table().types) {
      counts.push_back(count);
      counts.back().type = name_of(type);
    }
  }
  std::sort(counts.begin(), counts.end(),
            [](const auto& a, const auto& b) { return a.type < b.type; });
  return counts;
}

}  // namespace argosy::trace
