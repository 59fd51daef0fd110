// SPDX-License-Identifier: Apache-2.0
#include "messages/rounds/round_record.hpp"

#include <memory>
#include <utility>

#include "runtime/ledger/leader_core.hpp"

namespace argosy::rounds {

native::append_ptr round_record(model::round_decided decided, const scheduling::plan& plan,
                                std::int64_t time_ns) {
  decided.digest = plan.digest;
  decided.draw_limit = plan.draw_limit;
  decided.leases = static_cast<std::uint32_t>(plan.leases.size());
  decided.preemptions = static_cast<std::uint32_t>(plan.preemptions.size());
  auto entry = std::make_shared<native::append_request>();
  entry->events.push_back({time_ns, {}, std::move(decided)});
  entry->changes = ledger::control_changes(entry->events.back());
  return entry;
}

}  // namespace argosy::rounds
