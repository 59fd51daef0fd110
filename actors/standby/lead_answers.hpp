// SPDX-License-Identifier: Apache-2.0
// Of several argosyd on one NATS server one leads and the others wait. Whoever leads answers on the
// subject argosy.lead and says how far it has come; whoever wants to lead asks there.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/interfaces/log/journal.hpp"
#include "messages/codec/lead_codec.hpp"
#include "messages/native/journal.hpp"
#include "messages/probes/standby_probe.hpp"
#include "runtime/base/result.hpp"
#include "runtime/bus/connection.hpp"
#include "runtime/eventlog/log_load.hpp"
#include "runtime/ledger/claim_policy.hpp"

namespace argosy::actors {

inline constexpr std::string_view lead_subject = "argosy.lead";

/// The parts of a leader's answers. All functions are called on threads of the bus.
struct lead_sources {
  /// Nothing: it is stuck, and does not answer, so that another can lead.
  std::function<std::optional<ledger::leader_standing>()> standing;
  /// Reads a piece of a snapshot of the leader's store; empty: there are none.
  std::function<codec::snapshot_piece(const codec::snapshot_question&)> snapshot{};
  /// Takes what each says that waits; empty: nobody hears it.
  std::function<void(const native::plane_word&)> heard{};
};

/// Takes what planes say to the JOURNAL, from any thread.
class journal_line {
 public:
  void open(const journal_actor& to);
  /// Words that are said afterwards are lost.
  void close() { open({}); }
  void say(const native::plane_word& word);

 private:
  std::mutex mutex_;
  journal_actor to_;  ///< Guarded by mutex_.
};

/// A process that has claimed the lead, or is about to.
struct claimant {
  bool has_planes = false;  ///< Planes decide together here, or are to do so.
  bool leads = false;       ///< Its claim is committed.
  bool is_wanted = false;   ///< Another plane needs a copy of its store.
};

/// Whether it says so to who asks for the leader. One that was not heard before it leads where
/// planes decide together could not have its claim confirmed. There one that cannot commit for two
/// seconds is silent, so that another plane can lead, unless a copy of its store is waited for
/// before the claim can be confirmed.
[[nodiscard]] bool answers_now(const claimant& who, const eventlog::log_load& load, boot_time now);

/// Answers from now on that this process leads, until the result is destroyed, and notes who waits.
[[nodiscard]] result<bus::subscription> answer_as_leader(
    const std::shared_ptr<bus::connection>& connection, lead_sources sources,
    std::shared_ptr<probes::standby_probe> waiting);

/// Tells who asks for the version, as status does first, why nobody leads, until the result is
/// destroyed.
[[nodiscard]] std::vector<bus::subscription> answer_without_leader(
    const std::shared_ptr<bus::connection>& connection, const std::string& why);

}  // namespace argosy::actors
