// SPDX-License-Identifier: Apache-2.0
#include "runtime/border/share_core.hpp"

#include <limits>

#include "runtime/base/check.hpp"

namespace argosy::border {

namespace {

/// What callers who have nothing yet find beyond what all may have.
constexpr std::uint64_t part_for_newcomers = 2;

bool has_room(std::uint64_t own, std::uint64_t more, std::uint64_t used, std::uint64_t all) {
  const bool is_new = own == 0;
  const auto reserve = all / part_for_newcomers;
  const auto most =
      is_new && all <= std::numeric_limits<std::uint64_t>::max() - reserve ? all + reserve : all;
  const auto free = most > used ? most - used : 0;
  // Whoever has some leaves as much for others as he had.
  return more <= free && (is_new || own <= free - more);
}

}  // namespace

share_core::answer share_core::take(const std::string& caller, std::uint64_t bytes) {
  const auto found = callers_.find(caller);
  const auto own = found == callers_.end() ? held{} : found->second;
  const bool alone = places_ == 0;
  if (own.places >= limits_.own) return answer::own_share_full;
  if (!alone && (bytes > limits_.own_bytes || own.bytes > limits_.own_bytes - bytes))
    return answer::own_share_full;
  if (!alone && (!has_room(own.places, 1, places_, limits_.all) ||
                 !has_room(own.bytes, bytes, bytes_, limits_.all_bytes)))
    return answer::all_full;
  auto& mine = callers_[caller];
  ++mine.places;
  mine.bytes += bytes;
  ++places_;
  bytes_ += bytes;
  return answer::taken;
}

void share_core::give_back(const std::string& caller, std::uint64_t bytes) {
  const auto found = callers_.find(caller);
  ARGOSY_CHECK(found != callers_.end() && found->second.bytes >= bytes);
  --places_;
  bytes_ -= bytes;
  found->second.bytes -= bytes;
  if (--found->second.places == 0) callers_.erase(found);
}

std::uint64_t share_core::places_of(const std::string& caller) const {
  const auto found = callers_.find(caller);
  return found == callers_.end() ? 0 : found->second.places;
}

}  // namespace argosy::border
