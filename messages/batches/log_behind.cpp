// SPDX-License-Identifier: Apache-2.0
#include "messages/batches/log_behind.hpp"

#include <string>
#include <utility>
#include <variant>

#include "messages/view/recovery/standing.hpp"
#include "runtime/ledger/claim_policy.hpp"

namespace argosy::batches {

namespace {

constexpr std::size_t foreign_max = 1'000;

bool is_foreign(view::standing as) {
  using enum view::standing;
  return as == no_batch || as == forged;
}

/// Says why the writer must stop at the record behind its end.
void stop_at(model::log_position position, const view::judgement& judged,
             const view::view_position& end, const error& why, log_behind& out) {
  out.stop = why;
  if (judged.as == view::standing::unreadable)
    out.stop = {ec::fenced, why.detail + "; its record " + to_string(position) + " " + judged.why};
  for (const auto& event : judged.batch.events) {
    const auto* elected = std::get_if<model::leader_elected>(&event.payload);
    if (elected == nullptr) continue;
    out.stop = {ec::fenced, "another argosyd (" + std::string{ledger::process_of(elected->holder)} +
                                ") has claimed the lead with epoch " + to_string(elected->epoch) +
                                "; only one can lead, so that this one ends"};
    out.rival = {elected->holder, elected->control_plane,
                 elected->epoch,  end.generation,
                 {position},      std::string{ledger::server_of(elected->holder)},
                 end.key_print};
    return;
  }
}

}  // namespace

result<log_behind> look_behind(eventlog::event_log& log, const view::view_position& end,
                               const codec::log_key& key, const error& why) {
  log_behind out;
  auto position = end.position;
  while (out.foreign.size() < foreign_max) {
    auto record = log.get(++position);
    if (!record && record.error().code != ec::not_found) return fail(std::move(record.error()));
    if (!record) {
      if (out.foreign.empty()) out.stop = why;
      break;
    }
    const auto judged = view::judge(record->data, end, &key);
    const bool repeated = judged.as == view::standing::late && end.key_print != 0;
    if (!is_foreign(judged.as) && !repeated) {
      stop_at(position, judged, end, why, out);
      break;
    }
    out.foreign.push_back(std::move(*record));
  }
  return out;
}

}  // namespace argosy::batches
