// SPDX-License-Identifier: Apache-2.0
// This file declares the judgement of one record of the log by a control plane whose chain of
// batches ends at some place. Whoever reads the log decides by it what to apply, what to step over
// and what to stop for. It is pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "messages/codec/log/batch_mac.hpp"
#include "messages/view/progress.hpp"
#include "runtime/eventlog/event_log.hpp"
#include "runtime/model/event.hpp"

namespace argosy::view {

enum class standing : std::uint8_t {
  next,        ///< It continues the chain.
  no_batch,    ///< It was never written by an argosyd.
  forged,      ///< It is a batch without the MAC that all batches of the chain have by now.
  late,        ///< It is a batch of a leader that was deposed, or a repeated one.
  other_key,   ///< It has the MAC of another key or none, and the chain has none of ours yet.
  broken,      ///< It is a batch of ours that does not continue the chain.
  unreadable,  ///< It is a batch of ours that is damaged or of a newer version.
};

struct judgement {
  standing as = standing::no_batch;
  std::string why;         ///< The predicate of a sentence about the record; empty for `next`.
  model::log_batch batch;  ///< The batch, for late, other_key, broken and next.
  bool authentic = false;  ///< Whether it has the MAC of our key.
};

/// Judges the bytes of the record behind a chain that ends at `end`. With a null key, for which
/// `end` must have no print of a key, MACs are not looked at.
[[nodiscard]] judgement judge(std::string_view bytes, const view_position& end,
                              const codec::log_key* key);

/// Moves the end of a chain behind a record that has this batch. The key may be null.
void move_end(view_position& end, const eventlog::record& record, const judgement& judged,
              const codec::log_key* key);

}  // namespace argosy::view
