// SPDX-License-Identifier: Apache-2.0
// How a plane asks the other planes for the lead, and answers when they ask, over the bus.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "actors/standby/candidacy.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"
#include "runtime/bus/connection.hpp"

namespace argosy::actors {

/// The subject on which a plane answers while it does not lead.
[[nodiscard]] std::string plane_subject(const std::string& plane);

class joint_claim {
 public:
  /// `hear` is given what others ask and answer, on threads of the bus; ask and answer are then to
  /// be passed to take() by whoever owns this.
  using frame_line = std::function<void(std::shared_ptr<const bus::frame>, bool is_answer)>;

  joint_claim(candidacy& candidate, std::shared_ptr<bus::connection> connection,
              const clock_source& clock, frame_line hear)
      : candidate_(candidate),
        connection_(std::move(connection)),
        clock_(clock),
        hear_(std::move(hear)) {}

  /// Answers other planes from now on, if it does not yet. Fails with the errors of the bus.
  result<void> serve();
  /// Takes a question or an answer.
  void take(const std::shared_ptr<const bus::frame>& frame, bool is_answer);
  /// The leader has just said that it ends. The others hear that by their next question, and then
  /// they are asked by one at a time.
  void await_others(const ledger::leader_standing& leader);
  /// Nobody leads, and the store has all that the log has: asks the others, if that is not under
  /// way or was refused just now. Returns whether they have granted the lead.
  [[nodiscard]] bool ask();
  /// Why they have not, in a sentence without a full stop.
  [[nodiscard]] std::string problem() const;

 private:
  void answer(const bus::frame& asked);
  void pause();
  /// How many planes have a smaller id than this one, but for one of them.
  [[nodiscard]] std::ptrdiff_t rank_without(std::string_view plane) const;

  candidacy& candidate_;
  std::shared_ptr<bus::connection> connection_;
  const clock_source& clock_;
  frame_line hear_;
  bus::subscription served_;
  boot_time asked_at_{};    ///< When the present question was asked.
  boot_time asks_at_{};     ///< Nothing is asked before.
  bool is_heir_ = false;    ///< The leader that ended last has named this plane as the next one.
  int refusals_ = 0;        ///< How many questions in a row came to nothing.
  std::string missing_;     ///< The places of planes that did not answer the last question.
  std::string outdone_by_;  ///< The place of a plane whose store ends farther.
};

}  // namespace argosy::actors
