// SPDX-License-Identifier: Apache-2.0
// The candidacy holds all that a control plane process knows while it does not lead: who led last
// and how far that one came, and what its own store and the log have. It judges by that whether the
// process may lead when nobody answers any more (ledger::judge_claim()). Its data directory keeps
// the part that must outlive it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "actors/standby/log_follower.hpp"
#include "actors/standby/plane_vote.hpp"
#include "messages/codec/lead_codec.hpp"
#include "messages/view/recovery/recovery.hpp"
#include "runtime/base/result.hpp"
#include "runtime/bus/connection.hpp"
#include "runtime/ledger/claim_policy.hpp"

namespace argosy::actors {

struct candidacy_config {
  candidate_ground ground;
  std::shared_ptr<bus::connection> connection;  ///< Null: it has none.
  view::state_rules rules{};                    ///< By which the log is applied.
  bool joins = false;                           ///< It is to decide together with other planes.
  std::string process;                          ///< "HOST/NUMBER", by which people know it.
  std::string place;                            ///< model::plane::place
  std::optional<std::string> memory{};  ///< What keep() was given last; nothing: it was not.
  /// Keeps these bytes for the next start, durably.
  std::function<result<void>(const std::string&)> keep;
  std::function<std::string()> new_plane;  ///< Makes an id or mark that nobody has.
};

/// It is used by one thread at a time, and blocks on the log and the store.
class candidacy {
 public:
  /// Gives the data directory an id if it has none. Fails with ec::corrupt if the memory cannot be
  /// read, and with the errors of keep().
  [[nodiscard]] static result<std::shared_ptr<candidacy>> open(candidacy_config config);
  candidacy(const candidacy&) = delete;
  candidacy& operator=(const candidacy&) = delete;

  /// How this process names itself in claims.
  [[nodiscard]] std::string holder() const;
  /// What it tells the leader of itself.
  [[nodiscard]] codec::waiting_word word() const;
  /// Why it could not take over now, in a sentence without a full stop; empty: it could.
  [[nodiscard]] const std::string& problem() const { return problem_; }

  /// This process leads and answers. Finds out what problem() is meanwhile.
  void heed(const ledger::leader_standing& leader);
  /// Applies a part of what the leader that was heeded last has told of. Returns whether there is
  /// more of it.
  bool follow(const std::function<bool()>& give_up);
  /// Whether planes decide together who leads. Then what the log has is read ahead.
  [[nodiscard]] bool has_planes() const;
  /// See log_follower::read_ahead().
  std::optional<bool> read_ahead(std::chrono::milliseconds wait,
                                 const std::function<bool()>& give_up);
  [[nodiscard]] const view::log_ahead* ahead() const { return follower_.ahead(); }
  [[nodiscard]] plane_vote& vote() { return vote_; }
  /// Whether a leader answered when it was last asked.
  [[nodiscard]] bool hears_leader() const { return leads_; }
  [[nodiscard]] model::plane plane() const { return {memory_.plane, config_.place}; }
  /// The highest epoch that was ever heard of.
  [[nodiscard]] model::epoch met_epoch() const {
    return memory_.met ? memory_.met->epoch : model::epoch{};
  }
  /// Whether an operator has given up the other planes.
  [[nodiscard]] bool gave_up_planes() const;
  /// Takes note that the planes have granted this process an epoch, until a leader is heard.
  void be_granted(model::epoch epoch) { granted_ = epoch; }
  [[nodiscard]] model::epoch granted() const { return granted_; }

  /// Whether the log does not have what follows the store, so that the leader has to give a
  /// snapshot of its own.
  [[nodiscard]] bool needs_snapshot() const;
  /// A snapshot that helps is of this generation at least; 0: any may do.
  [[nodiscard]] model::log_generation wanted_generation() const;
  /// With which the store of this plane is marked; empty: it is no plane.
  [[nodiscard]] std::string mark() const {
    return memory_.marks.empty() ? std::string{} : memory_.marks.back();
  }
  /// Says in a sentence without a full stop why a snapshot that ends there would not help; empty:
  /// it would.
  [[nodiscard]] std::string why_unfit(const view::view_position& snapshot) const;
  /// The leader gave none. One is needed again when the log is next compared with the store.
  void miss_snapshot();
  /// Nobody answers as the leader, and somebody may claim. Finds out what problem() is then.
  void find_lead_free();

  /// Remembers a leader that answered, or whose claim stands in the log.
  void hear(const ledger::leader_standing& heard);

  /// Recovers from where this process has followed the log to, as far as it may change that. Why it
  /// refused something is in refusal() until a leader is heeded or it is tried again.
  [[nodiscard]] result<view::recovered_state> recover();
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
  explicit candidacy(candidacy_config config);

  [[nodiscard]] view::claim_gate gate();
  [[nodiscard]] ledger::claim_facts facts_with(const view::view_position& at, bool is_copy) const;
  result<void> keep() const;
  result<void> own_store();
  void refuse(std::string why);
  void look_at_log(model::log_generation generation);
  [[nodiscard]] std::string find_bar();
  [[nodiscard]] std::string find_bar_among_planes() const;
  [[nodiscard]] bool is_left_behind() const;

  candidacy_config config_;
  log_follower follower_;
  codec::lead_memory memory_;
  plane_vote vote_;
  model::epoch granted_{};  ///< See be_granted().
  /// The leader behind which this process waits or has waited.
  std::optional<ledger::leader_standing> leader_;
  bool leads_ = false;   ///< That leader answered when it was last asked.
  std::string problem_;  ///< See problem().
  std::string refusal_;
  std::optional<view::recovery_outlook> refused_with_;  ///< What was known of the log then.
  boot_time refused_at_{};
  boot_time fetches_at_{};                   ///< No snapshot is wanted before.
  std::optional<boot_time> looked_at_;       ///< When the log was last compared with the store.
  model::log_generation looked_generation_;  ///< The leader's generation then.
  std::optional<view::recovery_outlook> outlook_;  ///< Nothing while the log does not answer.
};

}  // namespace argosy::actors
