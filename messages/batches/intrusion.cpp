// SPDX-License-Identifier: Apache-2.0
#include "messages/batches/intrusion.hpp"

#include <string>
#include <utility>
#include <variant>

#include "messages/codec/log/log_codec.hpp"

namespace argosy::batches {

intrusion look_at(eventlog::event_log& log, std::uint64_t position, const error& why) {
  auto record = log.get(position);
  if (!record) return {false, {}, why};
  const auto batch = codec::decode_batch(record->data);
  if (!batch) return {true, std::move(*record), why};
  for (const auto& event : batch->events)
    if (const auto* elected = std::get_if<model::leader_elected>(&event.payload))
      return {false,
              {},
              {ec::fenced,
               "another argosyd (" + elected->holder + ") has claimed the lead with epoch " +
                   std::to_string(elected->epoch) + "; only one can lead, so that this one ends"}};
  return {false, {}, why};
}

}  // namespace argosy::batches
