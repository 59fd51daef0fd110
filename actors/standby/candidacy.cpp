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

/// After a snapshot was not to be had.
constexpr boot_time fetch_again = std::chrono::seconds{5};

/// By so many epochs a plane goes on above those that an operator has given up.
constexpr std::uint64_t accepted_jump = 1'000;

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

candidacy::candidacy(candidacy_config config)
    : config_(std::move(config)),
      follower_(config_.ground, config_.rules),
      vote_({}, {}, [this](const ledger::plane_binding& bound) {
        memory_.bound = bound;
        return keep();
      }) {}

result<std::shared_ptr<candidacy>> candidacy::open(candidacy_config config) {
  std::shared_ptr<candidacy> out{new candidacy{std::move(config)}};
  if (const auto& bytes = out->config_.memory) {
    auto memory = codec::decode_lead_memory(*bytes);
    if (!memory) return fail(memory.error());
    out->memory_ = std::move(*memory);
  } else {
    out->memory_.plane = out->config_.new_plane();
  }
  if (auto owned = out->own_store(); !owned) return fail(std::move(owned.error()));
  out->vote_.be(out->memory_.plane, out->memory_.bound);
  return out;
}

/// A store that was emptied, or that is a copy, is another plane: it lacks what this one has
/// confirmed. The mark is changed in three steps, of which any may be the last.
result<void> candidacy::own_store() {
  auto& database = *config_.ground.database;
  const auto mark = view::read_plane_mark(database);
  if (!mark) return fail(mark.error());
  const auto known = look_at_store(database);
  if (!known) return fail(known.error());
  auto& marks = memory_.marks;
  const bool is_plane = config_.joins || !marks.empty() || !known->first.planes.empty();
  if (!is_plane) return config_.memory ? result<void>{} : keep();
  const bool is_own = (!mark->empty() && std::ranges::find(marks, *mark) != marks.end()) ||
                      (marks.empty() && mark->empty() && !known->second);
  if (!is_own) {
    memory_.plane = config_.new_plane();
    lead_logger.warning(
        "the store is not the one that this data directory had; it gets an id of "
        "its own as a plane of the control plane");
  }
  const auto next = config_.new_plane();
  marks = {*mark, next};
  if (auto kept = keep(); !kept) return kept;
  if (auto written = view::write_plane_mark(database, next); !written) return written;
  marks = {next};
  return keep();
}

std::string candidacy::holder() const {
  return ledger::holder_text(config_.process, memory_.plane, server_of(config_.connection));
}

codec::waiting_word candidacy::word() const {
  codec::waiting_word out{memory_.plane, config_.process, problem_, follower_.position()};
  // Without a mark nobody would know its store again, so that it is no plane.
  if (!memory_.marks.empty()) out.place = config_.place;
  out.bound = vote_.bound();
  const auto* ahead = follower_.ahead();
  if (ahead != nullptr && vote_.may_confirm(ahead->end().epoch)) out.end = ahead->end().name();
  return out;
}

bool candidacy::has_planes() const {
  if (leads_ && leader_) return leader_->has_planes;
  if (const auto* ahead = follower_.ahead()) return !ahead->end().planes.empty();
  const auto store = look_at_store(*config_.ground.database);
  return store && !store->first.planes.empty();
}

std::optional<bool> candidacy::read_ahead(std::chrono::milliseconds wait,
                                          const std::function<bool()>& give_up) {
  const auto* ahead = follower_.ahead();
  const bool seek = !leads_ || ahead == nullptr || ahead->end().generation < leader_->generation;
  // As long as no committed record is known, nothing can be applied.
  const bool bounded = leads_ && !leader_->committed.position.is_zero();
  return follower_.read_ahead(wait, seek, bounded, give_up);
}

/// A grant of the planes counts for one claim, and only if nobody has claimed since.
result<view::recovered_state> candidacy::recover() {
  auto out = follower_.finish(gate(), granted_);
  const auto asked = vote_.round() ? vote_.round()->end() : model::record_name{};
  vote_.drop();
  if (!out || granted_.is_zero()) return out;
  const auto& at = out->position;
  const bool is_taken =
      at.epoch > granted_ || (at.epoch == granted_ && out->begun_generation.is_zero());
  if (is_taken) return fail(ec::fenced, "another plane has claimed the lead");
  if (ledger::is_farther(asked, at.name()))
    return fail(ec::internal, "the store lacks what it had when the other planes were asked");
  return out;
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
  out.has_planes = !at.planes.empty();
  out.granted = granted_;
  return out;
}

result<void> candidacy::accept(model::epoch epoch) {
  memory_.accepted_epoch = std::max(epoch, memory_.met ? memory_.met->epoch : model::epoch{});
  const auto store = look_at_store(*config_.ground.database);
  if (!store) return fail(store.error());
  if (ledger::has_plane(store->first.plane_sets(), memory_.plane)) {
    // The plane that it was had confirmed records, and these are given up as well.
    memory_.plane = config_.new_plane();
    vote_.be(memory_.plane, memory_.bound);
  }
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
    vote_.be(memory_.plane, memory_.bound);
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
  granted_ = {};
  vote_.drop();
  hear(leader);
  leader_ = leader;
  leads_ = true;
  problem_ = find_bar();
}

bool candidacy::gave_up_planes() const {
  const auto store = look_at_store(*config_.ground.database);
  if (!store || store->first.planes.empty()) return false;
  auto facts = facts_with(store->first, store->second);
  facts.granted = {};
  return ledger::judge_claim(facts).right == ledger::claim_right::everything;
}

void candidacy::find_lead_free() {
  granted_ = {};
  // Its epoch is above all that planes which may still live know.
  if (gave_up_planes()) granted_ = {memory_.accepted_epoch.value + accepted_jump};
  if (std::exchange(leads_, false)) looked_at_.reset();
  const bool was_just_refused =
      !refusal_.empty() && config_.ground.clock->boot() - refused_at_ < look_again;
  problem_ = was_just_refused ? refusal_ : find_bar();
  if (problem_.empty()) refusal_.clear();
}

/// Whoever follows need not have the right to lead. A leader of a version that does not tell more
/// than its name cannot be followed.
bool candidacy::follow(const std::function<bool()>& give_up) {
  if (leader_ && leader_->has_planes) return follower_.follow(*leader_, give_up);
  const bool is_readable = leader_ && !leader_->control_plane.empty() && outlook_;
  return is_readable && outlook_->refusal.empty() && follower_.follow(*leader_, give_up);
}

bool candidacy::needs_snapshot() const {
  if (!leads_ || config_.ground.clock->boot() < fetches_at_) return false;
  return is_left_behind() || (outlook_ && outlook_->is_too_old);
}

bool candidacy::is_left_behind() const {
  return follower_.ahead() != nullptr && follower_.ahead()->is_left_behind();
}

model::log_generation candidacy::wanted_generation() const {
  return is_left_behind() && leader_ ? leader_->generation : model::log_generation{};
}

std::string candidacy::why_unfit(const view::view_position& snapshot) const {
  if (!leader_ || !outlook_) return "the log is not known";
  const auto where = " at record " + to_string(snapshot.position) + " of generation " +
                     to_string(snapshot.generation);
  if (!snapshot.control_plane.empty() && snapshot.control_plane != leader_->control_plane)
    return "the snapshot is of another control plane than the leader, " + snapshot.control_plane;
  if (snapshot.generation > leader_->generation)
    return "the snapshot ends" + where + ", which the log of the leader does not have";
  const auto* ahead = follower_.ahead();
  if (leader_->has_planes && ahead == nullptr) return "the store is not read yet";
  if (ahead != nullptr && ledger::is_farther(ahead->end().name(), snapshot.name()))
    return "the snapshot ends" + where + ", and this store has more";
  if (snapshot.generation < wanted_generation())
    return "the snapshot ends" + where + ", and a newer one is needed";
  if (snapshot.position < outlook_->begun)
    return "the snapshot ends" + where + ", and the log begins behind record " +
           to_string(outlook_->begun) + ", so that a newer one is needed";
  return {};
}

void candidacy::miss_snapshot() {
  fetches_at_ = config_.ground.clock->boot() + fetch_again;
  if (outlook_) outlook_->is_too_old = false;
}

std::string candidacy::find_bar_among_planes() const {
  if (is_left_behind())
    return "the planes went on without records that this store has; it waits for a snapshot of the "
           "leader's store";
  if (!follower_.problem().empty()) return follower_.problem();
  const auto* ahead = follower_.ahead();
  if (ahead != nullptr && ledger::has_plane(ahead->end().planes, memory_.plane)) return {};
  return leads_ ? "it is not one of the planes that decide together yet"
                : "it is not one of the planes that decide together";
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
  if (has_planes()) {
    if (leads_) look_at_log(leader_->generation);
    return find_bar_among_planes();
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
