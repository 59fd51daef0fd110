// SPDX-License-Identifier: Apache-2.0
// Of several argosyd on one NATS server one leads and the others wait. Whoever leads answers on the
// subject argosy.lead and says how far it has come; whoever wants to lead asks there first, and
// remembers in its data directory what it was told. ledger::judge_claim() decides by that whether
// it may lead when nobody answers any more.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "bins/argosyd/ground.hpp"
#include "messages/codec/lead_codec.hpp"
#include "messages/probes/standby_probe.hpp"
#include "messages/view/recovery/recovery.hpp"
#include "runtime/base/result.hpp"
#include "runtime/bus/connection.hpp"
#include "runtime/ledger/candidate_core.hpp"
#include "runtime/ledger/claim_policy.hpp"

namespace argosy::argosyd {

/// What is asked for when somebody asks who leads. It is called on threads of the bus.
using standing_source = std::function<ledger::leader_standing()>;

/// Answers from now on that this process leads, until the result is destroyed, and notes who waits.
[[nodiscard]] result<bus::subscription> answer_as_leader(
    const std::shared_ptr<bus::connection>& connection, standing_source standing,
    std::shared_ptr<probes::standby_probe> waiting);

/// What this process knows about leading, in its data directory and its store. It is used by one
/// thread.
class candidacy {
 public:
  /// Reads what the data directory keeps, and gives it an id if it has none. `seams` is open and
  /// outlives the object. Fails with ec::corrupt if the file cannot be read.
  [[nodiscard]] static result<candidacy> open(const ground& seams);

  /// How this process names itself in claims.
  [[nodiscard]] std::string holder() const;

  /// Blocks until nobody leads and this process may claim; logs who leads and what stands against a
  /// claim, calls `tell` with it, and notes itself in `waiting`. While nobody leads and it must
  /// not, who asks for the version is told why. Returns false when `stop` became true before.
  [[nodiscard]] bool wait(ledger::candidate_times times, const std::function<bool()>& stop,
                          const std::function<void(const std::string&)>& tell,
                          probes::standby_probe& waiting);

  /// Remembers a leader that answered, or whose claim stands in the log.
  void hear(const ledger::leader_standing& heard);

  /// What recovery may do to the log. Why it refused something is in refusal() until a leader is
  /// heard or it is tried again.
  [[nodiscard]] view::claim_gate gate();
  [[nodiscard]] const std::string& refusal() const { return refusal_; }
  /// Judges an error of recovery. Returns whether this process waits for another log, which it does
  /// if store and log contradict each other and it has waited behind a leader; refusal() says why.
  [[nodiscard]] bool waits_on(const error& contradiction);
  /// Whether the log has a claim that the leader which was heard last did not make.
  [[nodiscard]] bool has_unknown_claim(const view::view_position& at) const;

  /// Why this process must not lead when its store ends there, in a sentence without a full stop;
  /// empty: it may. `changes_log`: it would first do what claim_step::change_log is.
  [[nodiscard]] std::string why_not(const view::view_position& end, bool is_copy,
                                    bool changes_log) const;
  /// An operator has accepted what may be lost up to this claim.
  result<void> accept(model::epoch epoch);

 private:
  explicit candidacy(const ground& seams) : seams_(&seams) {}

  [[nodiscard]] ledger::claim_facts facts_with(const view::view_position& at, bool is_copy) const;
  result<void> keep() const;
  /// Notes that a claim was refused now.
  void refuse(std::string why);
  void look_at_log(model::log_generation generation);
  [[nodiscard]] bool has_something_new(const view::view_position& at) const;
  /// `heard` is the leader behind which this process waits or has waited.
  [[nodiscard]] std::string find_bar(const std::optional<ledger::leader_standing>& heard,
                                     bool still_leads);

  const ground* seams_;
  codec::lead_memory memory_;
  std::string refusal_;
  std::optional<view::recovery_outlook> refused_with_;  ///< What was known of the log then.
  boot_time refused_at_{};
  bool has_waited_ = false;                  ///< A leader was heard in wait().
  std::string problem_;                      ///< Why this process could not take over now.
  std::optional<boot_time> looked_at_;       ///< When the log was last compared with the store.
  model::log_generation looked_generation_;  ///< The leader's generation then.
  std::optional<view::recovery_outlook> outlook_;  ///< Nothing while the log does not answer.
};

/// Whether another argosyd leads, or is about to: asks for some seconds. Whether one that is there
/// and silent counts is for the caller to say: a leader that hangs is silent, and one that has just
/// claimed is not there yet.
[[nodiscard]] bool another_leads(bus::connection& connection, bool silence_counts);

}  // namespace argosy::argosyd
