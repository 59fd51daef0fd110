// SPDX-License-Identifier: Apache-2.0
#include "messages/view/recovery/roll_over.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "messages/codec/log/log_codec.hpp"
#include "messages/view/recovery/log_reading.hpp"
#include "messages/view/recovery/new_generation.hpp"
#include "runtime/ledger/leader_core.hpp"

namespace argosy::view {

result<next_log> prepare_next(eventlog::event_log& log, const view_position& end) {
  model::generation_begun begun;
  begun.previous = end.generation;
  // The seal takes one more position.
  begun.position = end.position + 1;
  auto made = choose_next(log, begun);
  auto info = made ? log.info() : result<eventlog::log_info>{fail(made.error())};
  log.choose(end.generation, end.generation_base);
  if (!info) return fail(std::move(info.error()));
  return next_log{begun.generation, info->created_ns};
}

native::append_ptr turn_event(model::log_generation previous, model::log_generation generation,
                              model::log_position base, std::int64_t now_ns) {
  model::generation_begun begun;
  begun.generation = generation;
  begun.previous = previous;
  begun.position = base;
  auto out = std::make_shared<native::append_request>();
  out->events.push_back({now_ns, {}, begun});
  out->changes = ledger::control_changes(out->events.front());
  return out;
}

bool is_seal(const model::event& event, model::log_generation generation) {
  // The event with which a generation ends names the next one.
  const auto* turn = std::get_if<model::generation_begun>(&event.payload);
  return turn != nullptr && turn->generation > generation;
}

result<bool> ends_with_seal(eventlog::event_log& log, const eventlog::log_info& info,
                            const view_position& end) {
  const auto last = info.last_position;
  for (auto at = last; at >= info.first_position && last - at < looked_at_max; --at) {
    const auto record = find_record(log, at);
    if (!record) return fail(record.error());
    if (!*record || codec::batch_hash((*record)->data) != end.hash) continue;
    const auto batch = codec::decode_batch((*record)->data);
    if (!batch) return false;
    return std::ranges::any_of(batch->events, [&](const model::event& event) {
      return is_seal(event, batch->generation);
    });
  }
  return false;
}

}  // namespace argosy::view
