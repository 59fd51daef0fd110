// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/lead.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "bins/argosyd/random_digits.hpp"
#include "runtime/access/identity.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/ulid.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::argosyd {

namespace {

const logging::logger lead_logger{"argosyd"};

constexpr std::string_view subject = "argosy.lead";
constexpr std::chrono::milliseconds answer_limit{1'000};
constexpr std::chrono::milliseconds pause{500};
/// The log is compared with the store at least so often: a generation may be emptied at any time.
constexpr boot_time look_again = std::chrono::seconds{30};
constexpr std::string_view file_name = "lead";
constexpr std::size_t file_max = 64u << 10;

struct asked {
  /// Nothing while this process has no connection.
  std::optional<ledger::lead_answer> answer;
  ledger::leader_standing standing;  ///< What the leader told, if one answered.
};

asked ask(bus::connection& connection, const codec::waiting_word& word = {}) {
  const auto reply = connection.request_sync(subject, codec::encode(word), {}, answer_limit);
  if (reply) return {ledger::lead_answer::somebody, codec::decode_leader_standing(reply->data)};
  if (reply.error().code == ec::no_responders) return {ledger::lead_answer::nobody, {}};
  if (reply.error().code == ec::timeout) return {ledger::lead_answer::silence, {}};
  return {};
}

std::string host_name() {
  char host[256] = {};
  gethostname(host, sizeof(host) - 1);
  return host;
}

/// Tells who asks for the version, as status does first, why nobody leads, until the result is
/// destroyed.
std::vector<bus::subscription> answer_without_leader(
    const std::shared_ptr<bus::connection>& connection, const std::string& why) {
  std::vector<bus::subscription> out;
  for (const auto& asked :
       {access::api_subject({}, "Query.GetVersion"), access::api_subject("*", "Query.GetVersion"),
        access::whole_subject("*", "Query.GetVersion")}) {
    auto served = connection->serve(asked, [connection, why](const bus::frame& question) {
      static_cast<void>(connection->respond_error(question, {ec::unavailable, why}));
    });
    // Without it they hear that nobody serves, which is true as well.
    if (served) out.push_back(std::move(*served));
  }
  return out;
}

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

}  // namespace

result<bus::subscription> answer_as_leader(const std::shared_ptr<bus::connection>& connection,
                                           standing_source standing,
                                           std::shared_ptr<probes::standby_probe> waiting) {
  return connection->serve(subject, [connection, standing = std::move(standing),
                                     waiting = std::move(waiting)](const bus::frame& question) {
    auto word = codec::decode_waiting_word(question.data);
    if (!word.plane.empty())
      waiting->heard(word.plane, std::move(word.holder), std::move(word.problem));
    // Nothing is to be done if the answer is lost: whoever asked asks again.
    static_cast<void>(connection->respond(question, codec::encode(standing())));
  });
}

result<candidacy> candidacy::open(const ground& seams) {
  candidacy out{seams};
  const auto path = seams.dir->path() / file_name;
  const auto bytes = backends::read_file(path, file_max);
  if (!bytes && bytes.error().code != ec::not_found) return fail(bytes.error());
  if (bytes) {
    auto memory = codec::decode_lead_memory(*bytes);
    if (!memory)
      return fail(ec::corrupt, "cannot read " + path.string() + ": " + memory.error().detail +
                                   "; it says which leader this process has met. If no other "
                                   "argosyd has ever led here, remove it");
    out.memory_ = std::move(*memory);
    return out;
  }
  out.memory_.plane = random_digits(1);
  if (auto kept = out.keep(); !kept) return fail(std::move(kept.error()));
  return out;
}

std::string candidacy::holder() const {
  const auto server = seams_->connection ? seams_->connection->server_id() : std::string{};
  return ledger::holder_text(host_name(), getpid(), memory_.plane, server);
}

result<void> candidacy::keep() const {
  return backends::write_file(seams_->dir->path() / file_name, codec::encode(memory_),
                              backends::sync_mode::yes);
}

ledger::claim_facts candidacy::facts_with(const view::view_position& at, bool is_copy) const {
  ledger::claim_facts out;
  out.plane = memory_.plane;
  out.store = {at.control_plane, at.holder, at.epoch, at.generation, {at.position}, is_copy};
  out.met = memory_.met;
  out.accepted_epoch = memory_.accepted_epoch;
  out.server_id = seams_->connection ? seams_->connection->server_id() : std::string{};
  return out;
}

result<void> candidacy::accept(model::epoch epoch) {
  memory_.accepted_epoch = std::max(epoch, memory_.met ? memory_.met->epoch : model::epoch{});
  return keep();
}

std::string candidacy::why_not(const view::view_position& end, bool is_copy,
                               bool changes_log) const {
  const auto facts = facts_with(end, is_copy);
  // What changes the log comes before what is known of its end.
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
        if (why.empty()) return {};
        refuse(std::move(why));
        return fail(ec::unavailable, refusal_);
      };
}

bool candidacy::waits_on(const error& contradiction) {
  // The log has another key, or is not the one that the store knows.
  const bool contradicts = contradiction.code == ec::conflict || contradiction.code == ec::corrupt;
  if (!has_waited_ || !contradicts) return false;
  refuse(contradiction.detail);
  return true;
}

void candidacy::refuse(std::string why) {
  refused_at_ = system_clock_source().boot();
  refused_with_ = outlook_;
  refusal_ = std::move(why);
}

bool candidacy::has_unknown_claim(const view::view_position& at) const {
  return ledger::plane_of(at.holder) != memory_.plane &&
         (!memory_.met || at.epoch > memory_.met->epoch);
}

void candidacy::hear(const ledger::leader_standing& heard) {
  const auto store = look_at_store(*seams_->database);
  // What the store is of decides what is remembered. It is heard again half a second later.
  if (!store) return;
  const auto facts = facts_with(store->first, store->second);
  auto met = ledger::remembered(heard, memory_.met, facts.store);
  // What an operator accepted was lost before a leader answered, and not what that one has.
  const bool is_ours = ledger::why_foreign(heard, facts.store).empty();
  const bool was_accepted = is_ours && !std::exchange(memory_.accepted_epoch, {}).is_zero();
  if (ledger::plane_of(heard.holder) == memory_.plane) {
    lead_logger.warning("this data directory is a copy of the leader's; it gets an id of its own",
                        logging::kv("holder", ledger::process_of(heard.holder)));
    memory_.plane = random_digits(1);
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
  const auto now = system_clock_source().boot();
  if (looked_at_ && looked_generation_ == generation && now - *looked_at_ < look_again) return;
  auto found = view::look_ahead(*seams_->database, *seams_->log, *seams_->log_key);
  looked_at_ = now;
  looked_generation_ = generation;
  outlook_ = found ? std::optional{std::move(*found)} : std::nullopt;
}

std::string candidacy::find_bar(const std::optional<ledger::leader_standing>& heard,
                                bool still_leads) {
  const auto store = look_at_store(*seams_->database);
  if (!store) return store.error().detail;
  const auto facts = facts_with(store->first, store->second);
  if (heard) {
    if (auto why = ledger::why_foreign(*heard, facts.store); !why.empty()) return why;
    if (!heard->control_plane.empty() && heard->key_print != seams_->log_key->print())
      return "the key in " + seams_->log_key->place() +
             " is not that of the leader's log; copy the leader's log.key there, or name it in "
             "journal.keyFile";
  }
  const auto verdict = ledger::judge_claim(facts);
  if (verdict.right == ledger::claim_right::everything) return {};
  look_at_log(heard ? heard->generation : model::log_generation{});
  // What the log has beyond the store may show that this process led last.
  if (verdict.right == ledger::claim_right::none)
    return !still_leads && has_something_new(store->first) ? std::string{} : verdict.why;
  if (!outlook_) return {};
  if (!outlook_->refusal.empty())
    return outlook_->refusal +
           "; stop this process, remove its dataDir/store and put a backup of the leader there: "
           "'argosyd backup' beside the leader, 'argosyd recover --from DIR' here";
  if (outlook_->changes_log)
    return ledger::why_unmended(facts.met ? facts.met->holder : facts.store.holder);
  // While the leader leads, its log has grown since it was looked at.
  if (still_leads || outlook_->end.is_zero()) return {};
  return ledger::judge_end(facts, outlook_->generation, outlook_->end).why;
}

/// Whether the log has more than the store, and more than when a claim was refused.
bool candidacy::has_something_new(const view::view_position& at) const {
  if (!outlook_ || !outlook_->refusal.empty() || outlook_->changes_log) return false;
  const bool has_more = outlook_->generation > at.generation || outlook_->end > at.position;
  return has_more && (!refused_with_ || outlook_->generation != refused_with_->generation ||
                      outlook_->end != refused_with_->end);
}

bool candidacy::wait(ledger::candidate_times times, const std::function<bool()>& stop,
                     const std::function<void(const std::string&)>& tell,
                     probes::standby_probe& waiting) {
  const std::string name{ledger::process_of(holder())};
  std::vector<bus::subscription> answers;
  ledger::candidate_core core{times};
  std::optional<ledger::leader_standing> leader;
  bool still_leads = false;
  std::string told;
  const auto say = [&](const std::string& problem) {
    problem_ = problem;
    if (problem == told) return;
    answers.clear();
    if (!problem.empty())
      lead_logger.error("this process could not take over", logging::kv("why", problem));
    else
      lead_logger.info("this process could take over again");
    told = problem;
  };
  for (bool first = true; !stop(); first = false) {
    if (!first) std::this_thread::sleep_for(pause);
    waiting.heard(memory_.plane, name, problem_);
    const auto got = ask(*seams_->connection, {memory_.plane, name, problem_});
    if (got.answer == ledger::lead_answer::somebody) {
      answers.clear();
      refusal_.clear();
      hear(got.standing);
      if (!leader || got.standing.holder != leader->holder)
        lead_logger.info("another argosyd leads; waiting until it ends",
                         logging::kv("holder", ledger::process_of(got.standing.holder)));
      leader = got.standing;
      still_leads = true;
      has_waited_ = true;
      say(find_bar(leader, true));
      tell("waiting while '" + std::string{ledger::process_of(leader->holder)} + "' leads" +
           (problem_.empty() ? std::string{} : "; could not take over: " + problem_));
    }
    if (!got.answer || !core.may_claim(*got.answer, system_clock_source().boot())) continue;
    if (still_leads) looked_at_.reset();
    still_leads = false;
    const bool was_just_refused =
        !refusal_.empty() && system_clock_source().boot() - refused_at_ < look_again;
    say(was_just_refused ? refusal_ : find_bar(leader, false));
    if (problem_.empty()) {
      if (leader) lead_logger.info("the lead is free");
      refusal_.clear();
      waiting.left(memory_.plane);
      return true;
    }
    if (answers.empty())
      answers = answer_without_leader(
          seams_->connection,
          "no control plane leads; '" + name + "' waits and could not take over: " + problem_);
    tell("nobody leads, and this process must not: " + problem_);
  }
  return false;
}

bool another_leads(bus::connection& connection, bool silence_counts) {
  for (int tries = 0; tries < 6; ++tries) {
    if (tries > 0) std::this_thread::sleep_for(pause);
    const auto got = ask(connection).answer;
    if (got == ledger::lead_answer::somebody) return true;
    if (silence_counts && got != ledger::lead_answer::nobody) return true;
  }
  return false;
}

}  // namespace argosy::argosyd
