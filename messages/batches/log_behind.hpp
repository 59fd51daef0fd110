// SPDX-License-Identifier: Apache-2.0
// This file declares how a writer of the log learns what stands where it was about to write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "messages/codec/log/batch_mac.hpp"
#include "messages/view/progress.hpp"
#include "runtime/base/result.hpp"
#include "runtime/eventlog/event_log.hpp"
#include "runtime/ledger/claim_policy.hpp"

namespace argosy::batches {

struct log_behind {
  /// The records behind the writer's end that are no batches, are forged, or repeat older ones, in
  /// their order. The writer goes on behind them.
  std::vector<eventlog::record> foreign;
  /// Why the writer must not write any more, if the next record is a batch. It names who has
  /// claimed the lead, if that record is a claim.
  std::optional<error> stop;
  /// If that record is a claim, this says who made it and where it stands.
  std::optional<ledger::leader_standing> rival;
};

/// Reads the records behind the writer's last batch, which is at batch_core::written_end(), up to
/// the end of the log, to a batch that may be another leader's, or to 1,000 foreign ones. `why` is
/// what the log said; it is the reason to stop if nothing better is known, also when nothing stands
/// there. Fails as event_log::get() does when the log cannot be read.
[[nodiscard]] result<log_behind> look_behind(eventlog::event_log& log,
                                             const view::view_position& end,
                                             const codec::log_key& key, const error& why);

}  // namespace argosy::batches
