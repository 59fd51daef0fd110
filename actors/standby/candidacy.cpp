// SPDX-License-Identifier: Apache-2.0
#include "actors/standby/candidacy.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "runtime/base/planted.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::actors {

namespace {

const logging::logger lead_logger{"standby"};

/// The log is compared with the store at least so often: a generation may be emptied at any time.
constexpr boot_time look_again = std::chrono::seconds{30};

/// Fails with the errors of the store.
result<std::pair<view::view_position, bool>> look_at_store(store::database& database) {
  auto txn = database.begin_read();
  if (!txn) return fail(std::move(txn.error()));
  const auto position = view::read_position(**txn);
  if (!position) return fail(position.error());
  const auto copy = view::read_copy_mark(**txn);
  if (!copy) return fail(copy.error());
  return std::pair{position->value_or(view::view_position{}), copy->has_value()};
}

std::string server_of(const std::shared_ptr<bus::connection>& connection) {
  return connection ? connection->server_id() : std::string{};
}

/// Why this process cannot read that leader's log, in a sentence; empty: it can.
std::string why_unreadable(const ledger::leader_standing& leader,
                           const ledger::store_standing& store, const codec::log_key& key) {
  if (auto why = ledger::why_foreign(leader, store); !why.empty()) return why;
  if (leader.control_plane.empty() || leader.key_print == key.print()) return {};
  return "the key in " + key.place() +
         " is not that of the leader's log; copy the leader's log.key there, or name it in "
         "journal.keyFile";
}

/// Whether the log has more than a store that ends there, and more than when a claim was refused.
bool has_something_new(const view::view_position& at,
                       const std::optional<view::recovery_outlook>& now,
                       const std::optional<view::recovery_outlook>& when_refused) {
  if (!now || !now->refusal.empty() || now->changes_log) return false;
  const bool has_more = now->generation > at.generation || now->end > at.position;
  return has_more && (!when_refused || now->generation != when_refused->generation ||
                      now->end != when_refused->end);
}

}  // namespace

result<candidacy> candidacy::open(candidacy_config config) {
  candidacy out{std::move(config)};
  if (const auto& bytes = out.config_.memory) {
    auto memory = codec::decode_lead_memory(*bytes);
    if (!memory) return fail(memory.error());
    out.memory_ = std::move(*memory);
    return out;
  }
  out.memory_.plane = out.config_.new_plane();
  if (auto kept = out.keep(); !kept) return fail(std::move(kept.error()));
  return out;
}

std::string candidacy::holder() const {
  return ledger::holder_text(config_.process, memory_.plane, server_of(config_.connection));
}

codec::waiting_word candidacy::word() const {
  return {memory_.plane, config_.process, problem_, follower_.position(), {}};
}

result<void> candidacy::keep() const {
  return config_.keep(codec::encode(memory_));
}

ledger::claim_facts candidacy::facts_with(const view::view_position& at, bool is_copy) const {
  ledger::claim_facts out;
  out.plane = memory_.plane;
  out.store = {at.control_plane, at.holder, at.epoch, at.generation, {at.position}, is_copy};
  out.met = memory_.met;
  out.accepted_epoch = memory_.accepted_epoch;
  out.server_id = server_of(config_.connection);
  return out;
}

result<void> candidacy::accept(model::epoch epoch) {
  memory_.accepted_epoch = std::max(epoch, memory_.met ? memory_.met->epoch : model::epoch{});
  return keep();
}

std::string candidacy::why_not(const view::view_position& end, bool is_copy,
                               bool changes_log) const {
  const auto facts = facts_with(end, is_copy);
  // A step that changes the log is judged before its end is known.
  const auto verdict = changes_log ? ledger::judge_claim(facts)
                                   : ledger::judge_end(facts, end.generation, {end.position});
  if (verdict.right == ledger::claim_right::go_on && changes_log)
    return ledger::why_unmended(facts.met ? facts.met->holder : end.holder);
  return verdict.right == ledger::claim_right::none ? verdict.why : std::string{};
}

view::claim_gate candidacy::gate() {
  return
      [this](const view::view_position& at, bool is_copy, view::claim_step step) -> result<void> {
        // Its last record is in the log already, so that it changes nothing that others have.
        if (step == view::claim_step::turn &&
            ledger::judge_claim(facts_with(at, is_copy)).right != ledger::claim_right::none)
          return {};
        auto why = why_not(at, is_copy, step == view::claim_step::change_log);
        if (why.empty() || is_planted(planted_fault::claims_shortened_logs)) return {};
        refuse(std::move(why));
        return fail(ec::unavailable, refusal_);
      };
}

bool candidacy::waits_on(const error& contradiction) {
  // The log has another key, or is not the one that the store knows.
  const bool contradicts = contradiction.code == ec::conflict || contradiction.code == ec::corrupt;
  if (!leader_ || !contradicts) return false;
  refuse(contradiction.detail);
  return true;
}

void candidacy::refuse(std::string why) {
  refused_at_ = config_.ground.clock->boot();
  refused_with_ = outlook_;
  refusal_ = std::move(why);
}

bool candidacy::has_unknown_claim(const view::view_position& at) const {
  return ledger::plane_of(at.holder) != memory_.plane &&
         (!memory_.met || at.epoch > memory_.met->epoch);
}

void candidacy::hear(const ledger::leader_standing& heard) {
  const auto store = look_at_store(*config_.ground.database);
  // The control plane of the store decides what is remembered. The leader is heard again soon.
  if (!store) return;
  const auto facts = facts_with(store->first, store->second);
  auto met = ledger::remembered(heard, memory_.met, facts.store);
  // An operator accepted losses of the time before this leader answered, and none of its own.
  const bool is_ours = ledger::why_foreign(heard, facts.store).empty();
  const bool was_accepted = is_ours && !std::exchange(memory_.accepted_epoch, {}).is_zero();
  if (ledger::plane_of(heard.holder) == memory_.plane) {
    lead_logger.warning("this data directory is a copy of the leader's; it gets an id of its own",
                        logging::kv("holder", ledger::process_of(heard.holder)));
    memory_.plane = config_.new_plane();
  } else if (met == memory_.met && !was_accepted) {
    return;
  }
  memory_.met = std::move(met);
  if (auto kept = keep(); !kept)
    lead_logger.error("what the leader told is not remembered",
                      logging::kv("error", kept.error().detail));
}

/// Compares the log with the store, if that was long ago or the leader has gone over to this one.
void candidacy::look_at_log(model::log_generation generation) {
  const auto now = config_.ground.clock->boot();
  if (looked_at_ && looked_generation_ == generation && now - *looked_at_ < look_again) return;
  auto found =
      view::look_ahead(*config_.ground.database, *config_.ground.log, *config_.ground.log_key);
  looked_at_ = now;
  looked_generation_ = generation;
  outlook_ = found ? std::optional{std::move(*found)} : std::nullopt;
}

void candidacy::heed(const ledger::leader_standing& leader) {
  refusal_.clear();
  hear(leader);
  leader_ = leader;
  leads_ = true;
  problem_ = find_bar();
}

void candidacy::find_lead_free() {
  if (std::exchange(leads_, false)) looked_at_.reset();
  const bool was_just_refused =
      !refusal_.empty() && config_.ground.clock->boot() - refused_at_ < look_again;
  problem_ = was_just_refused ? refusal_ : find_bar();
  if (problem_.empty()) refusal_.clear();
}

/// Whoever follows need not have the right to lead. A leader of a version that does not tell more
/// than its name cannot be followed.
bool candidacy::follow(const std::function<bool()>& give_up) {
  const bool is_readable = leader_ && !leader_->control_plane.empty() && outlook_;
  return is_readable && outlook_->refusal.empty() && follower_.follow(*leader_, give_up);
}

bool candidacy::needs_snapshot() const {
  return leads_ && outlook_ && outlook_->is_too_old;
}

std::string candidacy::why_unfit(const view::view_position& snapshot) const {
  if (!leader_ || !outlook_) return "the log is not known";
  const auto where = " at record " + to_string(snapshot.position) + " of generation " +
                     to_string(snapshot.generation);
  if (!snapshot.control_plane.empty() && snapshot.control_plane != leader_->control_plane)
    return "the snapshot is of another control plane than the leader, " + snapshot.control_plane;
  if (snapshot.generation > leader_->generation)
    return "the snapshot ends" + where + ", which the log of the leader does not have";
  if (snapshot.position < outlook_->begun)
    return "the snapshot ends" + where + ", and the log begins behind record " +
           to_string(outlook_->begun) + ", so that a newer one is needed";
  return {};
}

void candidacy::miss_snapshot() {
  if (outlook_) outlook_->is_too_old = false;
}

std::string candidacy::find_bar() {
  const auto store = look_at_store(*config_.ground.database);
  if (!store) return store.error().detail;
  const auto facts = facts_with(store->first, store->second);
  if (leader_)
    if (auto why = why_unreadable(*leader_, facts.store, *config_.ground.log_key); !why.empty()) {
      // The outlook on another leader's log must neither be followed nor ask for a snapshot.
      outlook_.reset();
      looked_at_.reset();
      return why;
    }
  const auto verdict = ledger::judge_claim(facts);
  const bool may_do_everything = verdict.right == ledger::claim_right::everything;
  if (leads_ || !may_do_everything)
    look_at_log(leader_ ? leader_->generation : model::log_generation{});
  if (may_do_everything || is_planted(planted_fault::claims_shortened_logs)) return {};
  // Records beyond the store may show that this process led last.
  if (verdict.right == ledger::claim_right::none)
    return !leads_ && has_something_new(store->first, outlook_, refused_with_) ? std::string{}
                                                                               : verdict.why;
  if (!outlook_) return {};
  if (!outlook_->refusal.empty())
    return outlook_->refusal +
           "; stop this process, remove its dataDir/store and put a backup of the leader there: "
           "'argosyd backup' beside the leader, 'argosyd recover --from DIR' here";
  if (outlook_->changes_log)
    return ledger::why_unmended(facts.met ? facts.met->holder : facts.store.holder);
  // While the leader leads, its log has grown since it was looked at.
  if (leads_) return follower_.problem();
  if (outlook_->end.is_zero()) return {};
  return ledger::judge_end(facts, outlook_->generation, outlook_->end).why;
}

}  // namespace argosy::actors
