// SPDX-License-Identifier: Apache-2.0
#include "messages/view/recovery/standing.hpp"

#include <tuple>
#include <utility>
#include <variant>

#include "messages/codec/log/log_codec.hpp"
#include "messages/view/recovery/roll_over.hpp"
#include "runtime/base/check.hpp"

namespace argosy::view {

judgement judge(std::string_view bytes, const view_position& end, const codec::log_key* key) {
  judgement out;
  const bool all_signed = end.key_print != 0;
  ARGOSY_CHECK(key != nullptr || !all_signed);
  out.authentic = key != nullptr && key->signed_by_this(bytes);
  auto batch = codec::decode_batch(bytes);
  if (!batch && !out.authentic && !codec::is_batch(bytes)) {
    out.why = "is no batch";
    return out;
  }
  if (all_signed && !out.authentic) {
    out.as = standing::forged;
    out.why = "does not have the MAC of the key in " + key->place();
    return out;
  }
  if (!batch) {
    out.as = standing::unreadable;
    out.why = "cannot be read: " + batch.error().detail;
    return out;
  }
  out.batch = std::move(*batch);
  const auto& read = out.batch;
  if (key != nullptr && !out.authentic) {
    out.as = standing::other_key;
    out.why = (read.has_mac ? "has the MAC of another key than that in "
                            : "does not have the MAC of the key in ") +
              key->place();
    return out;
  }
  const auto at = std::tuple{end.generation, end.epoch, end.batch_number};
  if (read.generation < end.generation || read.epoch < end.epoch) {
    out.as = standing::late;
    out.why = "is of epoch " + to_string(read.epoch) + ", which was over when it was written";
  } else if (all_signed && std::tuple{read.generation, read.epoch, read.number} <= at) {
    out.as = standing::late;
    out.why = "repeats an older one";
  } else if (read.previous_hash != end.hash) {
    out.as = standing::broken;
    out.why = "does not continue the one before it";
  } else {
    out.as = standing::next;
  }
  return out;
}

void move_end(view_position& end, const eventlog::record& record, const judgement& judged,
              const codec::log_key* key) {
  end.position = record.position;
  end.generation = judged.batch.generation;
  end.epoch = judged.batch.epoch;
  end.batch_number = judged.batch.number;
  end.hash = codec::batch_hash(record.data);
  end.sealed = false;
  if (judged.authentic) end.key_print = key->print();
  for (const auto& event : judged.batch.events) {
    end.sealed = end.sealed || is_seal(event, end.generation);
    // A generation ends with the same event as the next one begins with.
    if (const auto* begun = std::get_if<model::generation_begun>(&event.payload);
        begun != nullptr && begun->generation == end.generation)
      end.generation_base = begun->position;
    if (const auto* planes = std::get_if<model::planes_changed>(&event.payload))
      end.planes = planes->planes;
    if (const auto* claim = std::get_if<model::leader_elected>(&event.payload)) {
      end.holder = claim->holder;
      if (!claim->control_plane.empty()) end.control_plane = claim->control_plane;
    }
  }
}

}  // namespace argosy::view
