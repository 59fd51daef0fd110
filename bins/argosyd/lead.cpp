// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/lead.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "runtime/backends/run/file.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/random.hpp"
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

std::string random_plane() {
  system_random random;
  const auto id = random.next();
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4) out += digits[(id >> shift) & 0xf];
  return out;
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
  out.memory_.plane = random_plane();
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
  out.store = {at.control_plane, at.holder, at.epoch, at.generation, at.position, is_copy};
  out.met = memory_.met;
  out.accepted_epoch = memory_.accepted_epoch;
  out.server_id = seams_->connection ? seams_->connection->server_id() : std::string{};
  return out;
}

result<ledger::claim_verdict> candidacy::judge() const {
  const auto store = look_at_store(*seams_->database);
  if (!store) return fail(store.error());
  return ledger::judge_claim(facts_with(store->first, store->second));
}

result<void> candidacy::accept(std::uint64_t epoch) {
  memory_.accepted_epoch = std::max(epoch, memory_.met ? memory_.met->epoch : 0);
  return keep();
}

view::claim_gate candidacy::gate() {
  return [this](const view::view_position& at, bool is_copy,
                view::claim_step step) -> result<void> {
    const auto facts = facts_with(at, is_copy);
    const auto verdict = step == view::claim_step::claim
                             ? ledger::judge_end(facts, at.generation, at.position)
                             : ledger::judge_claim(facts);
    if (verdict.right == ledger::claim_right::everything) return {};
    if (verdict.right == ledger::claim_right::go_on && step != view::claim_step::change_log)
      return {};
    refused_at_ = system_clock_source().boot();
    refusal_ = verdict.why;
    if (refusal_.empty())
      refusal_ = "the log lacks what the leader '" + memory_.met->holder +
                 "' had, and only that one's data directory can make up for it; start it again, or "
                 "decide with 'argosyd recover --accept-loss'";
    return fail(ec::unavailable, refusal_);
  };
}

bool candidacy::has_unknown_claim(const view::view_position& at) const {
  return ledger::plane_of(at.holder) != memory_.plane &&
         (!memory_.met || at.epoch > memory_.met->epoch);
}

void candidacy::hear(const ledger::leader_standing& heard) {
  if (ledger::plane_of(heard.holder) == memory_.plane) {
    lead_logger.warning("this data directory is a copy of the leader's; it gets an id of its own",
                        logging::kv("holder", heard.holder));
    memory_.plane = random_plane();
  } else if (!ledger::is_newer(heard, memory_.met)) {
    return;
  }
  memory_.met = heard;
  if (auto kept = keep(); !kept)
    lead_logger.error("what the leader told is not remembered",
                      logging::kv("error", kept.error().detail));
}

/// What would keep this process from taking over if the leader went now; empty: nothing.
std::string candidacy::find_problem(const ledger::leader_standing& heard) {
  const auto store = look_at_store(*seams_->database);
  if (!store) return store.error().detail;
  if (heard.control_plane.empty())
    return ledger::judge_claim(facts_with(store->first, store->second)).why;
  if (heard.key_print != seams_->log_key->print())
    return "the key in " + seams_->log_key->place() +
           " is not that of the leader's log; copy the leader's log.key there, or name it in "
           "journal.keyFile";
  const auto verdict = ledger::judge_claim(facts_with(store->first, store->second));
  if (verdict.right == ledger::claim_right::none) return verdict.why;
  if (verdict.right == ledger::claim_right::everything) return {};
  const auto now = system_clock_source().boot();
  if (!looked_at_ || looked_generation_ != heard.generation || now - *looked_at_ >= look_again) {
    auto found = view::why_refused_now(*seams_->database, *seams_->log, *seams_->log_key);
    looked_at_ = now;
    looked_generation_ = heard.generation;
    // While the log does not answer nothing is known of it.
    of_log_ = found ? std::move(*found) : std::string{};
  }
  if (of_log_.empty()) return {};
  return of_log_ +
         "; stop this process, remove its dataDir/store and put a backup of the leader there: "
         "'argosyd backup' beside the leader, 'argosyd recover --from DIR' here";
}

/// Why this process must not claim though nobody leads; empty: it may. `heard` is the leader that
/// this process was waiting behind.
std::string candidacy::find_bar(const std::optional<ledger::leader_standing>& heard) {
  if (!refusal_.empty() && system_clock_source().boot() - refused_at_ < look_again) return refusal_;
  if (heard) return find_problem(*heard);
  const auto verdict = judge();
  if (!verdict) return verdict.error().detail;
  return verdict->right == ledger::claim_right::none ? verdict->why : std::string{};
}

bool candidacy::wait(ledger::candidate_times times, const std::function<bool()>& stop,
                     const std::function<void(const std::string&)>& tell) {
  ledger::candidate_core core{times};
  std::string leader;
  std::string told;
  const auto say = [&](const std::string& problem) {
    problem_ = problem;
    if (problem == told) return;
    if (!problem.empty())
      lead_logger.error("this process could not take over", logging::kv("why", problem));
    else
      lead_logger.info("this process could take over again");
    told = problem;
  };
  for (bool first = true; !stop(); first = false) {
    if (!first) std::this_thread::sleep_for(pause);
    const auto got = ask(*seams_->connection, {memory_.plane, holder(), problem_});
    if (got.answer == ledger::lead_answer::somebody) {
      refusal_.clear();
      hear(got.standing);
      if (got.standing.holder != leader) {
        leader = got.standing.holder;
        lead_logger.info("another argosyd leads; waiting until it ends",
                         logging::kv("holder", leader));
      }
      say(find_problem(got.standing));
      tell("waiting while '" + leader + "' leads" +
           (problem_.empty() ? std::string{} : "; could not take over: " + problem_));
    }
    if (!got.answer || !core.may_claim(*got.answer, system_clock_source().boot())) continue;
    say(find_bar(leader.empty() ? std::nullopt : memory_.met));
    if (problem_.empty()) {
      if (!leader.empty()) lead_logger.info("the lead is free");
      refusal_.clear();
      return true;
    }
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
