// SPDX-License-Identifier: Apache-2.0
#include "actors/log/plane_watch.hpp"

#include <algorithm>
#include <chrono>

namespace argosy::actors {

namespace {

/// A plane counts as waiting for the lead for so long after its last word.
constexpr std::chrono::seconds heard_for{3};
constexpr std::size_t heard_max = 20;
/// Callers are refused when no plane has confirmed a batch for so long.
constexpr std::chrono::seconds confirmed_within{2};
/// For how long nothing is written so that a new plane can get everything, and how often.
constexpr std::chrono::milliseconds held_for{300};
constexpr std::chrono::seconds held_again{5};
/// Nothing is held for one that lacks more records than this.
constexpr std::uint64_t near_records = 500;

}  // namespace

void plane_watch::hear(const native::plane_word& word) {
  const auto now = clock_->boot();
  std::erase_if(heard_, [&](const auto& each) { return now - each.second.second > heard_for; });
  if (heard_.size() < heard_max || heard_.contains(word.plane.id))
    heard_[word.plane.id] = {word, now};
}

template <class Test>
ledger::plane_set plane_watch::those(Test test) const {
  const auto now = clock_->boot();
  ledger::plane_set out;
  for (const auto& [id, said] : heard_)
    if (now - said.second <= heard_for && test(said.first.end)) out.push_back(said.first.plane);
  return out;
}

ledger::plane_set plane_watch::ready(const model::record_name& last) const {
  return those([&](const model::record_name& end) { return end == last; });
}

ledger::plane_set plane_watch::nearly_ready(const model::record_name& last) const {
  return those([&](const model::record_name& end) {
    return end.epoch == last.epoch && end.position.value + near_records >= last.position.value;
  });
}

probes::plane_facts plane_watch::facts(const ledger::plane_set& named,
                                       const std::string& own) const {
  probes::plane_facts out{named, {}};
  if (clock_->boot() - begun_ <= heard_for) return out;
  const auto heard = those([](const auto&) { return true; });
  for (const auto& one : named)
    if (one.id != own && !ledger::has_plane(heard, one.id)) out.silent.push_back(one);
  return out;
}

result<void> plane_watch::forget(const std::string& id, const ledger::plane_set& named,
                                 const std::string& own) {
  if (id == own || !ledger::has_plane(named, id))
    return fail(ec::not_found, id == own ? "a leader does not forget itself: hand over first"
                                         : "no plane '" + id + "' decides here");
  const auto heard = those([](const auto&) { return true; });
  if (clock_->boot() - begun_ <= heard_for || ledger::has_plane(heard, id))
    return fail(ec::conflict,
                "the plane '" + id + "' is heard; stop its argosyd first, if it is to go");
  if (std::ranges::all_of(heard, [&](auto& each) { return ledger::has_plane(named, each.id); }))
    return fail(ec::conflict,
                "no argosyd waits that could take its place: start one with journal.commit: "
                "standby, and repeat this; one that has an empty data directory at the place of "
                "the lost one takes its place by itself");
  forgotten_ = id;
  return {};
}

std::string plane_watch::forgotten() const {
  return ledger::has_plane(those([](const auto&) { return true; }), forgotten_) ? std::string{}
                                                                                : forgotten_;
}

std::string plane_watch::bound_above(model::epoch epoch) const {
  for (const auto& [id, said] : heard_)
    if (said.first.bound > epoch)
      return "the plane of '" + said.first.plane.place + "' is bound to epoch " +
             to_string(said.first.bound) + " and confirms nothing lower";
  return {};
}

std::chrono::milliseconds plane_watch::hold() {
  const auto now = clock_->boot();
  if (now < holds_next_) return {};
  holds_next_ = now + held_again;
  holds_until_ = now + held_for;
  return held_for;
}

bool plane_watch::note_waiting(bool waits) {
  const auto now = clock_->boot();
  if (!waits || waits_since_ == boot_time{}) waits_since_ = waits ? now : boot_time{};
  return waits && now - waits_since_ >= confirmed_within;
}

bool plane_watch::is_look_due() {
  const auto now = clock_->boot();
  if (now < looks_at_) return false;
  looks_at_ = now + confirmed_within;
  return true;
}

}  // namespace argosy::actors
