// SPDX-License-Identifier: Apache-2.0
// Goal: this is the machinery of history_test.cpp. Method: see history_observer.hpp.
#include "tests/unit/queue_ledger/history_observer.hpp"

#include <algorithm>
#include <sstream>

#include "runtime/ledger/queue/job_rules.hpp"
#include "tests/unit/queue_ledger/history_text.hpp"

namespace argosy::ledger {

namespace {

using model::job_state;

/// Which state may follow which. This repeats the core's rule on purpose.
bool may_follow(job_state before, job_state after) {
  switch (before) {
    case job_state::queued:
      return after == job_state::queued || after == job_state::leased ||
             after == job_state::cancelled || after == job_state::rejected;
    case job_state::leased:
      return after != job_state::rejected;
    case job_state::pending:
      return after != job_state::rejected && after != job_state::leased;
    case job_state::running:
      return after != job_state::rejected && after != job_state::leased &&
             after != job_state::pending;
    default:
      return false;
  }
}

}  // namespace

void observer::complain(const std::string& what) {
  if (complaint_.empty()) complaint_ = what;
}

void observer::see(const model::event& e, const change_list& changes) {
  if (changes.empty()) complain(std::string{model::name_of(e.payload)} + " changed nothing");
  for (const auto& item : changes) {
    if (const auto* put = std::get_if<put_job>(&item)) see_job(*put);
    if (const auto* client = std::get_if<put_client_id>(&item))
      clients_[client->client_id] = *client;
    if (const auto* queue = std::get_if<put_queue>(&item)) settings_ = queue->settings;
    if (std::holds_alternative<erase_queue>(item)) settings_.reset();
  }
}

void observer::see_job(const put_job& put) {
  const auto& now = put.record;
  const auto& id = now.header->id;
  const auto text = describe(now);
  if (ended_.contains(id)) return complain("changed after its end (I7, I8): " + text);
  const auto known = live_.find(id);
  if (put.is_new != (known == live_.end())) complain("is_new is wrong: " + text);
  if (known == live_.end()) {
    ++accepted;
    if (now.state != job_state::queued || !now.runs.empty()) complain("born wrong: " + text);
  } else {
    const auto& before = known->second;
    if (!may_follow(before.state, now.state))
      complain("illegal transition (I6) from " + describe(before) + " to " + text);
    const auto fresh = next_run_number(now) - next_run_number(before);
    const auto most = before.runs.size() + fresh;
    if (fresh > 1 || now.runs.size() > most || now.runs.size() + 1 < most)
      complain("runs were lost: " + text);
    if (now.runs.size() < most && now.runs.back().state != model::run_state::lease_returned)
      complain("a run was left out that no other followed in vain: " + text);
    if (now.runs.size() > before.runs.size() && before.live_run() != nullptr)
      complain("leased while it had a run (I4): " + text);
  }
  std::size_t live = 0;
  for (std::size_t i = 0; i < now.runs.size(); ++i) {
    const auto& run = now.runs[i];
    if (run.number <= (i == 0 ? 0 : now.runs[i - 1].number))
      complain("run numbers do not just grow (I5): " + text);
    if (!model::is_terminal(run.state)) ++live;
    if (model::is_terminal(run.state) != (run.finished_ns != 0))
      complain("end without a time: " + text);
    if (run.started_ns != 0 && run.pending_ns > run.started_ns) complain("order (I9): " + text);
  }
  // Searches look for reasons nowhere else. A job that is cancelled while it waits ends at once.
  const bool ends = now.state == job_state::queued && now.stopping != model::stop_cause::none;
  if (!model::can_have_reason(now.state) && !ends && !now.reason.empty())
    complain("it has a reason: " + text);
  if (now.hold && now.state != job_state::queued) complain("held, but does not wait: " + text);
  const bool active = now.state == job_state::leased || now.state == job_state::pending ||
                      now.state == job_state::running;
  if (live != (active ? 1U : 0U)) complain("runs and state disagree (I4, I13): " + text);
  if (active && live == 1 &&
      static_cast<int>(now.runs.back().state) + 1 != static_cast<int>(now.state))
    complain("the run's state is not the job's (I13): " + text);
  if (model::is_terminal(now.state)) {
    ended_.insert(id);
    live_.erase(id);
    ++ended;
  } else {
    live_[id] = now;
  }
}

void observer::check(const queue_core& core) {
  if (core.live_count() != live_.size()) complain("stored and live jobs differ");
  for (const auto& [id, record] : live_) {
    const auto* now = core.find(id);
    if (now == nullptr || describe(*now) != describe(record))
      complain("the stored record is not the job's: " + describe(record));
  }
  std::size_t counted = 0;
  for (const auto state :
       {job_state::queued, job_state::leased, job_state::pending, job_state::running})
    counted += core.count(state);
  if (accepted != counted + ended) complain("jobs were lost or invented (I34)");
  // If a gang has a run at all, no member was left out: all live members were placed together, or
  // all that still have a run are being stopped or were placed with the rest.
  for (const auto& gang : core.gangs()) {
    std::size_t placed = 0, waiting = 0, recalled = 0, never = 0, held = 0;
    for (const auto& member : gang.members) {
      const auto* record = core.find(member.job);
      placed += member.placed;
      waiting += !member.placed;
      recalled += record->stopping != model::stop_cause::none;
      never += !member.ran;
      held += record->hold != nullptr;
    }
    if (held != 0 && held != waiting) complain("gang " + gang.gang->id + " is held in part");
    if (placed > 0 && never > 0) complain("gang " + gang.gang->id + " started in part (I14)");
    if (placed > 0 && waiting > 0 && recalled < placed)
      complain("gang " + gang.gang->id + " half waits and nobody is recalled (I14)");
    if (gang.members.size() > gang.gang->cardinality) complain("gang too large");
  }
}

std::unique_ptr<queue_core> observer::restored(const queue_config& config) const {
  auto core = std::make_unique<queue_core>("q", config);
  if (settings_) core->restore(*settings_);
  for (const auto& [id, record] : live_) core->restore(record);
  for (const auto& [id, client] : clients_) core->restore(client);
  return core;
}

}  // namespace argosy::ledger
