// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/tables.hpp"

#include <tuple>

namespace argosy::scheduling {

std::uint32_t name_table::intern(std::string_view name) {
  const auto [at, added] =
      numbers_.try_emplace(std::string(name), static_cast<std::uint32_t>(names_.size()));
  if (added) names_.emplace_back(name);
  return at->second;
}

std::uint32_t name_table::find(std::string_view name) const {
  const auto at = numbers_.find(name);
  return at == numbers_.end() ? none : at->second;
}

std::int32_t class_rank(const tables& t, const job_record& job) {
  return t.conf.class_in_job_order ? -t.class_of(job).priority : 0;
}

bool queued_before(const tables& t, std::uint32_t a, std::uint32_t b) {
  const auto& x = t.jobs[a];
  const auto& y = t.jobs[b];
  return std::tuple(class_rank(t, x), x.priority, x.submit_ns, x.id) <
         std::tuple(class_rank(t, y), y.priority, y.submit_ns, y.id);
}

bool running_before(const tables& t, std::uint32_t a, std::uint32_t b) {
  const auto& x = t.jobs[a];
  const auto& y = t.jobs[b];
  return std::tuple(class_rank(t, x), x.priority, x.created_ns, x.submit_ns, x.id) <
         std::tuple(class_rank(t, y), y.priority, y.created_ns, y.submit_ns, y.id);
}

}  // namespace argosy::scheduling
