// SPDX-License-Identifier: Apache-2.0
#include "runtime/eventlog/recent_changes.hpp"

#include <algorithm>

namespace argosy::eventlog {

name_print print_of(std::string_view name) noexcept {
  name_print out = 2'166'136'261U;
  for (const char byte : name) out = (out ^ static_cast<unsigned char>(byte)) * 16'777'619U;
  return out;
}

void recent_names::note(name_print name, model::log_position position) {
  if (known_behind_.value == std::numeric_limits<std::uint64_t>::max())
    known_behind_ = position - 1;
  if (const auto at = last_.find(name); at != last_.end()) {
    at->second = position;
    return;
  }
  if (last_.size() >= most_) make_room();
  last_.emplace(name, position);
}

/// Forgets the half of the names that changed longest ago.
void recent_names::make_room() {
  std::vector<model::log_position> positions;
  for (const auto& [name, position] : last_) positions.push_back(position);
  const auto middle = positions.begin() + static_cast<std::ptrdiff_t>(positions.size() / 2);
  std::nth_element(positions.begin(), middle, positions.end());
  known_behind_ = std::max(known_behind_, *middle);
  std::erase_if(last_, [&](const auto& one) { return one.second <= known_behind_; });
}

void recent_names::forget(model::log_position position) {
  known_behind_ = position;
  last_.clear();
}

std::optional<std::vector<name_print>> recent_names::since(model::log_position position,
                                                           std::size_t most) const {
  if (position < known_behind_) return std::nullopt;
  std::vector<name_print> out;
  for (const auto& [name, last] : last_) {
    if (last <= position) continue;
    if (out.size() == most) return std::nullopt;
    out.push_back(name);
  }
  std::sort(out.begin(), out.end());
  return out;
}

void recent_changes::note(std::string_view queue, std::string_view job_set,
                          model::log_position position) {
  const std::scoped_lock lock{guard_};
  queues_.note(print_of(queue), position);
  job_sets_.note(print_of(job_set), position);
}

void recent_changes::forget(model::log_position position) {
  const std::scoped_lock lock{guard_};
  queues_.forget(position);
  job_sets_.forget(position);
}

recent_changes::names recent_changes::since(model::log_position position, std::size_t most) const {
  const std::scoped_lock lock{guard_};
  return {queues_.since(position, most), job_sets_.since(position, most)};
}

}  // namespace argosy::eventlog
