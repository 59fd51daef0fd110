// SPDX-License-Identifier: Apache-2.0
#include "messages/view/recovery/log_reading.hpp"

#include <chrono>
#include <string>
#include <utility>
#include <variant>

#include "messages/codec/log/log_codec.hpp"

namespace argosy::view {

result<std::optional<eventlog::record>> find_record(eventlog::event_log& log,
                                                    model::log_position position) {
  auto record = log.get(position);
  if (record) return std::optional{std::move(*record)};
  if (record.error().code == ec::not_found) return std::optional<eventlog::record>{};
  return fail(std::move(record.error()));
}

std::string unreadable_record(model::log_position position) {
  return "the log counts record " + to_string(position) +
         " but does not give it: its files are damaged";
}

namespace {

constexpr std::size_t records_max = 1'000;
constexpr std::size_t bytes_max = 64 * 1024 * 1024;
/// After so long a log on a server asks for the record by itself, which tells whether it is there.
constexpr std::chrono::seconds patience{2};

/// Reads record by record up to the first that the log does not give, or to the first that it does.
result<log_piece> read_singly(eventlog::event_log& log, model::log_position position,
                              model::log_position last) {
  log_piece out;
  std::size_t bytes = 0;
  bool in_gap = false;
  for (auto at = position; at <= last; ++at) {
    auto record = find_record(log, at);
    if (!record) return fail(std::move(record.error()));
    if (at == position) in_gap = !*record;
    if (record->has_value() == in_gap) break;
    out.next = at + 1;
    if (!*record) continue;
    bytes += (*record)->data.size();
    out.records.push_back(std::move(**record));
    if (bytes >= bytes_max || out.records.size() >= records_max) break;
  }
  return out;
}

}  // namespace

result<log_piece> read_on(eventlog::event_log& log, model::log_position position,
                          model::log_position last) {
  auto records = log.read(position, records_max, bytes_max, patience);
  if (!records && records.error().code == ec::corrupt) return read_singly(log, position, last);
  if (!records) return fail(std::move(records.error()));
  if (records->empty())
    return fail(ec::unavailable, "the log does not give record " + to_string(position));
  const auto next = records->back().position + 1;
  return log_piece{std::move(*records), next};
}

result<std::optional<later_beginning>> find_beginning(eventlog::event_log& log,
                                                      const eventlog::log_info& info,
                                                      const beginning_filter& counts) {
  model::log_position unreadable;
  for (auto at = info.first_position; at <= info.last_position && at.value <= looked_at_max; ++at) {
    const auto record = find_record(log, at);
    if (!record) return fail(record.error());
    if (!*record) {
      unreadable = at;
      continue;
    }
    const auto batch = codec::decode_batch((*record)->data);
    if (!batch || !counts(**record, *batch)) continue;
    for (const auto& event : batch->events)
      // A generation ends with the same event as the next one begins with.
      if (const auto* begun = std::get_if<model::generation_begun>(&event.payload);
          begun != nullptr && begun->generation == batch->generation)
        return std::optional{later_beginning{*begun, batch->previous_hash, false, batch->epoch}};
  }
  if (!unreadable.is_zero()) return fail(ec::corrupt, unreadable_record(unreadable));
  return std::optional<later_beginning>{};
}

}  // namespace argosy::view
