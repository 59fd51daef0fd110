// SPDX-License-Identifier: Apache-2.0
#include "actors/standby/joint_claim.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "messages/codec/lead_codec.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::actors {

namespace {

const logging::logger claim_logger{"standby"};

constexpr std::chrono::milliseconds answer_limit{500};
/// A question that has no quorum by then is asked anew, for a higher epoch.
constexpr std::chrono::milliseconds round_limit{700};
/// Planes that ask at the same time refuse one another. Each waits for a time of its own then.
constexpr std::chrono::milliseconds turn{150};
/// Within it, each plane that waits has asked the leader once more.
constexpr std::chrono::milliseconds others_hear{200};
/// So many turns the others leave to the plane that is to lead next.
constexpr int heir_first = 6;
/// For how long a plane is waited for whose store ends farther, or to which this one is bound.
constexpr std::chrono::seconds courtesy{5};

}  // namespace

std::string plane_subject(const std::string& plane) {
  return "argosy.plane." + plane;
}

result<void> joint_claim::serve() {
  if (served_) return {};
  auto served =
      connection_->serve(plane_subject(candidate_.plane().id), [hear = hear_](bus::frame asked) {
        hear(std::make_shared<const bus::frame>(std::move(asked)), false);
      });
  if (!served) return fail(std::move(served.error()));
  served_ = std::move(*served);
  return {};
}

void joint_claim::take(const std::shared_ptr<const bus::frame>& frame, bool is_answer) {
  if (!is_answer) return answer(*frame);
  const auto answer = codec::decode_binding_answer(frame->data);
  if (!answer) return;
  using enum ledger::claim_progress;
  auto& vote = candidate_.vote();
  const bool is_asked = vote.round() && vote.round()->epoch() == answer->asked;
  const auto progress = vote.take(*answer);
  // It may be late, to a question that is over.
  if (!is_asked) return;
  switch (progress) {
    case outdone:
      for (const auto& plane : vote.round()->others())
        if (plane.id == answer->plane) outdone_by_ = plane.place;
      // Who is to lead next lacks only what was written last, and reads it now.
      asks_at_ = clock_.boot() + (is_heir_ ? boot_time{turn} : boot_time{courtesy});
      vote.drop();
      break;
    case refused:
      pause();
      break;
    case granted:
    case waits:
      break;
  }
}

/// A store that is not read yet does not know where it ends, so that it binds itself to nobody.
void joint_claim::answer(const bus::frame& asked) {
  const auto question = codec::decode_binding_question(asked.data);
  const auto* ahead = candidate_.ahead();
  if (!question || ahead == nullptr) return;
  const auto answer =
      candidate_.vote().answer(*question, ahead->end().name(), candidate_.hears_leader());
  // Whoever asked claims now, unless this store has more. A question of this plane would bind it to
  // a higher epoch.
  const bool is_farther = ledger::is_farther(answer.end, question->end);
  if (answer.is_bound && !is_farther) asks_at_ = std::max(asks_at_, clock_.boot() + courtesy);
  if (answer.is_bound)
    claim_logger.info("this plane is bound", logging::kv("epoch", answer.asked.value),
                      logging::kv("by", question->asker));
  // Whoever asked asks again if the answer is lost.
  static_cast<void>(connection_->respond(asked, codec::encode(answer)));
}

/// The planes wait in the order of their ids, and longer each time.
void joint_claim::pause() {
  missing_.clear();
  if (const auto& round = candidate_.vote().round())
    for (const auto& plane : round->others())
      if (!round->bound().contains(plane.id))
        missing_ += (missing_.empty() ? "'" : ", '") + plane.place + "'";
  candidate_.vote().drop();
  refusals_ = std::min(refusals_ + 1, 4);
  asks_at_ = std::max(asks_at_, clock_.boot() + refusals_ * (rank_without({}) + 1) * turn);
}

std::ptrdiff_t joint_claim::rank_without(std::string_view plane) const {
  const auto* ahead = candidate_.ahead();
  if (ahead == nullptr) return 0;
  const auto own = candidate_.plane().id;
  return std::ranges::count_if(ahead->end().planes,
                               [&](auto& each) { return each.id < own && each.id != plane; });
}

void joint_claim::await_others(const ledger::leader_standing& leader) {
  is_heir_ = leader.heir == candidate_.plane().id;
  auto rank = is_heir_ ? 0 : rank_without(ledger::plane_of(leader.holder));
  if (!is_heir_ && !leader.heir.empty()) rank += heir_first;
  // Whoever was waited for before this leader is waited for no more.
  asks_at_ = clock_.boot() + others_hear + rank * turn;
}

bool joint_claim::ask() {
  auto& vote = candidate_.vote();
  const auto* ahead = candidate_.ahead();
  const auto now = clock_.boot();
  if (ahead == nullptr) return false;
  const auto end = ahead->end().name();
  if (const auto epoch = vote.granted(end); !epoch.is_zero()) {
    candidate_.be_granted(epoch);
    return true;
  }
  if (vote.round() && now - asked_at_ < round_limit) return false;
  if (vote.round()) pause();
  // A log that went on without what this store has counts as one that ends elsewhere: the planes
  // say which store has most.
  const bool is_read = ahead->is_at_end() || ahead->is_left_behind();
  if (now < asks_at_ || !is_read) return false;
  const auto sets = ahead->plane_sets();
  const auto own = candidate_.plane().id;
  if (!ledger::has_plane(sets, own)) return false;
  outdone_by_.clear();
  asked_at_ = now;
  if (auto begun = vote.begin(end, sets, candidate_.met_epoch()); !begun) {
    claim_logger.error("the other planes are not asked for the lead",
                       logging::kv("error", begun.error().detail));
    return false;
  }
  const auto question = codec::encode(ledger::binding_question{own, vote.round()->epoch(), end});
  for (const auto& plane : vote.round()->others())
    connection_->request(plane_subject(plane.id), question, {}, answer_limit,
                         [hear = hear_](result<bus::frame> reply) {
                           if (reply)
                             hear(std::make_shared<const bus::frame>(std::move(*reply)), true);
                         });
  // A plane that is alone has its own answer.
  candidate_.be_granted(vote.granted(end));
  return !candidate_.granted().is_zero();
}

std::string joint_claim::problem() const {
  const auto* ahead = candidate_.ahead();
  if (ahead == nullptr) return "its store is not read yet";
  if (!ledger::has_plane(ahead->plane_sets(), candidate_.plane().id))
    return "it is not one of the planes that decide together";
  if (!outdone_by_.empty())
    return "the store of '" + outdone_by_ + "' has more, so that its process has to lead";
  return missing_.empty() ? "the other planes are asked"
                          : "these planes do not answer: " + missing_ +
                                "; start them again. If they are gone for good, stop this process "
                                "and decide with 'argosyd recover --accept-loss' on its data "
                                "directory";
}

}  // namespace argosy::actors
