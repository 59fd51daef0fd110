// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/nodes/returning_table.hpp"

#include <algorithm>
#include <utility>

namespace argosy::scheduling::engine {

returning_table::returning_table(const node_columns& nodes, room& changed)
    : t_(nodes.t),
      room_(changed),
      numbers_(nodes.t.jobs.size()),
      first_(nodes.count(), 0),
      last_(nodes.count(), 0) {}

void returning_table::begin_round() {
  commit();
  if (!entries_.empty()) enter({});
  numbers_.grow(t_.jobs.size());
}

void returning_table::enter(std::vector<table_entry> entries) {
  if (entries.empty() && entries_.empty()) return;
  for (const auto& entry : entries_) numbers_[entry.job] = 0;
  entries_ = std::move(entries);
  std::fill(last_.begin(), last_.end(), 0);
  for (const auto& entry : entries_) ++last_[entry.node];
  std::uint32_t start = 0;
  for (std::size_t node = 0; node < first_.size(); ++node) {
    first_[node] = start;
    start += last_[node];
    last_[node] = first_[node];
  }
  places_.resize(entries_.size());
  end_ = static_cast<std::uint32_t>(entries_.size());
  for (std::uint32_t place = 0; place < entries_.size(); ++place) {
    auto& entry = entries_[place];
    entry.alive = 1;
    places_[last_[entry.node]++] = place;
    numbers_[entry.job] = place + 1;
  }
}

bool returning_table::strike(std::uint32_t job) {
  const auto place = place_of(job);
  if (place == none || !entries_[place].alive) return false;
  if (recording_) struck_.push_back(place);
  entries_[place].alive = 0;
  room_.note(entries_[place].node);
  return true;
}

void returning_table::begin() {
  struck_.clear(), recording_ = true;
  while (end_ > 0 && !entries_[end_ - 1].alive) --end_;
}

void returning_table::undo() {
  recording_ = false;
  for (auto place = struck_.rbegin(); place != struck_.rend(); ++place) {
    entries_[*place].alive = 1;
    room_.note_growth(entries_[*place].node, true);
  }
  struck_.clear();
}

void returning_table::trim(std::uint32_t node) {
  if (!struck_.empty()) return;
  auto& end = last_[node];
  while (end > first_[node] && !entries_[places_[end - 1]].alive) --end;
}

}  // namespace argosy::scheduling::engine
