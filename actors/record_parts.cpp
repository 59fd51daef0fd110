// SPDX-License-Identifier: Apache-2.0
#include "actors/record_parts.hpp"

#include <iterator>
#include <variant>

#include "messages/codec/log_codec.hpp"

namespace argosy::actors {

namespace {

/// The events of one job, and what a plan does with one gang. All else may come apart: each job's
/// part of it is a decision of its own.
bool belong_together(const ledger::queue_core& core, const model::event& one,
                     const model::event& next) {
  const auto* a = core.find(model::job_of(one));
  const auto* b = core.find(model::job_of(next));
  if (a == b) return true;
  const bool planned = std::holds_alternative<model::job_leased>(next.payload) ||
                       std::holds_alternative<model::job_rejected>(next.payload) ||
                       std::holds_alternative<model::run_preempting>(next.payload);
  return planned && a != nullptr && b != nullptr && a->header->gang && b->header->gang &&
         a->header->gang->id == b->header->gang->id;
}

}  // namespace

event_iterator end_of_part(const ledger::queue_core& core, event_iterator from, event_iterator end,
                           std::size_t bytes_max) {
  if (std::holds_alternative<model::job_submitted>(from->payload)) return end;
  std::size_t bytes = 0;
  for (auto at = from; at != end; ++at) {
    if (bytes > bytes_max && !belong_together(core, *std::prev(at), *at)) return at;
    bytes += codec::size_hint(*at);
  }
  return end;
}

}  // namespace argosy::actors
