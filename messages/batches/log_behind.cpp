// SPDX-License-Identifier: Apache-2.0
#include "messages/batches/log_behind.hpp"

#include <string>
#include <utility>
#include <variant>

#include "messages/codec/log/log_codec.hpp"

namespace argosy::batches {

namespace {

constexpr std::size_t foreign_max = 1'000;

error reason_to_stop(const eventlog::record& record, const error& why) {
  const auto batch = codec::decode_batch(record.data);
  if (!batch)
    return {ec::fenced, why.detail + "; its record " + std::to_string(record.position) +
                            " cannot be read: " + batch.error().detail};
  for (const auto& event : batch->events)
    if (const auto* elected = std::get_if<model::leader_elected>(&event.payload))
      return {ec::fenced,
              "another argosyd (" + elected->holder + ") has claimed the lead with epoch " +
                  std::to_string(elected->epoch) + "; only one can lead, so that this one ends"};
  return why;
}

}  // namespace

result<log_behind> look_behind(eventlog::event_log& log, std::uint64_t position, const error& why) {
  log_behind out;
  while (out.foreign.size() < foreign_max) {
    auto record = log.get(++position);
    if (!record && record.error().code != ec::not_found) return fail(std::move(record.error()));
    if (!record) {
      if (out.foreign.empty()) out.stop = why;
      break;
    }
    if (codec::is_batch(record->data)) {
      out.stop = reason_to_stop(*record, why);
      break;
    }
    out.foreign.push_back(std::move(*record));
  }
  return out;
}

}  // namespace argosy::batches
