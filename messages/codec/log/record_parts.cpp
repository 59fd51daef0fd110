// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/log/record_parts.hpp"

#include <iterator>
#include <numeric>
#include <string>
#include <utility>
#include <variant>

#include "messages/codec/log/event_size.hpp"
#include "runtime/model/queue.hpp"

namespace argosy::codec {

namespace {

template <class... Payloads>
bool is_any(const model::event& event) {
  return (std::holds_alternative<Payloads>(event.payload) || ...);
}

using event_iterator = std::vector<model::event>::const_iterator;

/// The end of the record that begins at `from`, which must not be `end`.
event_iterator end_of_part(event_iterator from, event_iterator end, std::size_t bytes_max,
                           const may_part& parted) {
  std::size_t bytes = 0;
  auto last = from;
  for (auto at = from; at != end; ++at) {
    if (at != from && parted(*std::prev(at), *at)) {
      if (bytes > bytes_max) return last == from ? at : last;
      last = at;
    }
    bytes += codec::size_hint(*at);
  }
  return bytes > bytes_max && last != from ? last : end;
}

}  // namespace

may_part queue_parts(const ledger::queue_core& core) {
  return [&core](const model::event& one, const model::event& next) {
    if (is_any<model::job_submitted>(next)) return false;
    const auto* a = core.find(model::job_of(one));
    const auto* b = core.find(model::job_of(next));
    if (a == b) return false;
    const bool planned =
        is_any<model::job_leased, model::job_rejected, model::run_preempting>(next);
    const bool mates = a != nullptr && b != nullptr && a->header->gang && b->header->gang &&
                       a->header->gang->id == b->header->gang->id;
    return !planned || !mates;
  };
}

std::vector<std::vector<model::event>> divide_into_records(std::vector<model::event> events,
                                                           std::size_t bytes_max,
                                                           const may_part& parted) {
  std::vector<std::vector<model::event>> out;
  for (auto from = events.begin(); from != events.end();) {
    const auto to = from + (end_of_part(from, events.end(), bytes_max, parted) - from);
    if (from == events.begin() && to == events.end()) {
      out.push_back(std::move(events));
      break;
    }
    out.emplace_back(std::make_move_iterator(from), std::make_move_iterator(to));
    from = to;
  }
  return out;
}

result<void> check_records(const std::vector<model::event>& events, std::size_t part_bytes_max,
                           std::size_t record_bytes_max, const may_part& parted) {
  if (codec::size_hint(events) <= record_bytes_max) return {};
  for (auto from = events.cbegin(); from != events.cend();) {
    const auto to = end_of_part(from, events.cend(), part_bytes_max, parted);
    const auto bytes = std::accumulate(from, to, std::size_t{0}, [](std::size_t sum, auto& event) {
      return sum + codec::size_hint(event);
    });
    if (bytes > record_bytes_max)
      return fail(ec::too_large, "the request takes " + std::to_string(bytes) +
                                     " bytes in the log; at most " +
                                     std::to_string(record_bytes_max) +
                                     " are allowed: divide it or make it smaller");
    from = to;
  }
  return {};
}

/// A lease is the largest part of a plan, since it has the most names.
std::size_t gang_members_max(std::size_t record_bytes_max) {
  const std::string name(model::name_size_max, 'n');
  const model::event lease{
      0, model::queue_name{name},
      model::job_leased{
          {}, model::cluster_name{name}, model::node_name{name}, model::pool_name{name}}};
  return record_bytes_max / 8 * 7 / codec::size_hint(lease);
}

}  // namespace argosy::codec
