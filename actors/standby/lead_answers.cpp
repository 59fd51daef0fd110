// SPDX-License-Identifier: Apache-2.0
#include "actors/standby/lead_answers.hpp"

#include <caf/send.hpp>
#include <chrono>
#include <utility>

#include "runtime/access/identity.hpp"

namespace argosy::actors {

namespace {

/// A leader that could not commit a batch for so long lets another plane lead.
constexpr std::chrono::seconds stuck_for{2};

}  // namespace

bool answers_now(const claimant& who, const eventlog::log_load& load, boot_time now) {
  if (!who.has_planes) return who.leads;
  return !load.is_stuck(now, stuck_for) || (!who.leads && who.is_wanted);
}

void journal_line::open(const journal_actor& to) {
  const std::lock_guard lock{mutex_};
  to_ = to;
}

void journal_line::say(const native::plane_word& word) {
  const std::lock_guard lock{mutex_};
  if (to_) caf::anon_send(to_, atom::confirm_v, word);
}

result<bus::subscription> answer_as_leader(const std::shared_ptr<bus::connection>& connection,
                                           lead_sources sources,
                                           std::shared_ptr<probes::standby_probe> waiting) {
  return connection->serve(lead_subject, [connection, sources = std::move(sources),
                                          waiting = std::move(waiting)](const bus::frame& asked) {
    auto word = codec::decode_waiting_word(asked.data);
    if (!word.plane.empty() && !word.place.empty() && sources.heard)
      sources.heard({{word.plane, word.place}, word.end, word.bound});
    if (!word.plane.empty())
      waiting->heard({std::move(word.holder),
                      std::move(word.problem),
                      word.applied,
                      {word.plane, word.place}});
    const auto standing = word.snapshot ? ledger::leader_standing{} : sources.standing();
    if (!standing) return;
    const auto answer = word.snapshot && sources.snapshot
                            ? codec::encode(sources.snapshot(*word.snapshot))
                            : codec::encode(*standing);
    // Nothing is to be done if the answer is lost: whoever asked asks again.
    static_cast<void>(connection->respond(asked, answer));
  });
}

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

}  // namespace argosy::actors
