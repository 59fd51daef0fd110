// SPDX-License-Identifier: Apache-2.0
#include "runtime/rest/position_turns.hpp"

#include <algorithm>

namespace argosy::rest {

namespace {

/// A tenth of the streams has a turn at a time, or this many.
constexpr std::size_t turns_min = 20;

}  // namespace

void position_turns::add(int id, std::uint64_t known, time_point now) {
  if (streams_.empty()) announced_ = known;
  streams_[id] = {known, now, now, now + pace_.lasts};
}

std::vector<position_turns::turn> position_turns::look(std::uint64_t position, time_point now) {
  if (position != announced_ && now >= announced_at_ + period() / 2) {
    announced_ = position;
    announced_at_ = now;
  }
  auto left = std::max(turns_min, streams_.size() / 10);
  std::vector<turn> out;
  auto at = streams_.upper_bound(last_);
  for (auto all = streams_.size(); all > 0 && left > 0; --all) {
    if (at == streams_.end()) at = streams_.begin();
    auto& [id, one] = *at;
    if (now >= one.ends) {
      out.push_back({id, word::end, one.known});
    } else if (one.known != announced_ && now >= one.told + period()) {
      out.push_back({id, word::position, one.known});
      one.known = announced_;
      one.told = one.spoke = now;
    } else if (now >= one.spoke + pace_.beat) {
      out.push_back({id, word::beat, one.known});
      one.spoke = now;
    } else {
      ++at;
      continue;
    }
    last_ = id;
    --left;
    ++at;
  }
  for (const auto& each : out)
    if (each.what == word::end) streams_.erase(each.stream);
  return out;
}

}  // namespace argosy::rest
