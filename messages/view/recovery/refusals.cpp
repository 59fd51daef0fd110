// SPDX-License-Identifier: Apache-2.0
// These are the messages for a store and a log that are not joined.
#include "messages/view/recovery/log_state.hpp"
#include "messages/view/recovery/roll_over.hpp"
#include "runtime/logging/line.hpp"

namespace argosy::view {

std::string loss_of(const copy_mark& copy) {
  return "this store was restored from the backup of " +
         logging::utc_text(from_nanos(copy.time_ns)) +
         ", and the log that went on from there is lost or ends before it: whatever was accepted "
         "or ended after that time is not known any more";
}

std::string why_refused(const log_state& found, const view_position& end,
                        const std::optional<later_beginning>& later,
                        const std::optional<copy_mark>& copy) {
  using enum log_match;
  if (later && !later->problem.empty()) return later->problem;
  if (later && later->begun.position < end.position)
    return "generation " + to_string(later->begun.generation) + " of the log began behind record " +
           std::to_string(later->begun.position) + ", but this store has records up to " +
           std::to_string(end.position) +
           ": it is newer than where another control plane process went on. Nothing of it is lost: "
           "stop that other process for good, and 'argosyd recover --accept-loss' goes on with "
           "this "
           "store, without what the other accepted";
  if (later)
    return "this store ends before generation " + to_string(later->begun.generation) +
           " of the log begins, so that it is older than the log" +
           (is_emptied(found.info, 0) ? "; " + found.why : std::string{});
  const bool shorter = found.match == absent || found.match == repairable || found.match == behind;
  return copy && shorter ? loss_of(*copy) : found.why;
}

}  // namespace argosy::view
