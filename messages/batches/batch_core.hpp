// SPDX-License-Identifier: Apache-2.0
// batch_core decides what the JOURNAL writes next. Appends that wait become one batch, which is
// committed when it stands in the log and in the tail of the store, and, where the log names
// planes, in another one's store. It reads no clock and writes nothing. A JOURNAL owns it; it is
// not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "messages/codec/log/batch_mac.hpp"
#include "messages/native/journal.hpp"
#include "messages/view/progress.hpp"
#include "runtime/base/error.hpp"
#include "runtime/ledger/plane_quorum.hpp"

namespace argosy::batches {

/// Names an append from add() until its end is told. Tickets count from 1.
using ticket = std::uint64_t;

/// The one batch that is under way.
struct open_batch {
  model::log_position position{};  ///< The position of the record that it is to become.
  /// GENERATION.EPOCH.NONCE.NUMBER. The log takes the same bytes with the same message id once, so
  /// that they may be sent again.
  std::string message_id;
  std::shared_ptr<const std::string> bytes;  ///< The encoded batch as it is written.
  /// It changes the planes, and must be in the tail before the log gets it.
  bool tail_first = false;
};

/// A batch that is durable: what the view has to apply, and the appends that are over then.
struct finished_batch {
  native::committed_ptr committed;
  std::vector<ticket> tickets;
};

class batch_core {
 public:
  /// `end` is the last committed batch. A batch takes as many appends as have at most
  /// `batch_bytes_max` bytes together, but always one. Batches get the MAC of `key`; those of a
  /// null key have none, so that nobody who reads the log takes them. `plane` is the one that
  /// leads; it counts where the log names planes.
  batch_core(view::view_position end, std::size_t batch_bytes_max,
             std::shared_ptr<const codec::log_key> key = {}, std::string plane = {});

  /// Takes the lead for `who`: the epoch that it names begins, or the next one if that is higher,
  /// and its batches are numbered from 1. If the log has that epoch already, they go on from there.
  /// The nonce keeps two processes that claim the same epoch from writing "the same" record. Who
  /// leads may claim again; a batch under way then ends in its own epoch. Returns the claim, which
  /// has to be the next that is added.
  [[nodiscard]] native::append_ptr claim(model::leader_elected who, std::int64_t now_ns);

  /// An operator has given up the planes that the log names: until a batch is committed, only those
  /// count that the batch names.
  void give_up_planes() { is_alone_ = true; }

  /// Puts the append behind those that wait. It must not be called after stop().
  [[nodiscard]] ticket add(native::append_ptr request);

  /// Makes one batch of appends that wait, of about `bytes_max` bytes if that is less than a batch
  /// may have. Null when none waits, and while one is under way.
  [[nodiscard]] const open_batch* begin(
      std::size_t bytes_max = std::numeric_limits<std::size_t>::max());
  /// Undoes begin() before anything was written: its appends wait again, before all others.
  void put_back();
  /// Makes a batch of this append alone, which goes before those that wait and has no ticket. No
  /// batch may be under way, nor may stop() have been called.
  const open_batch& begin_alone(native::append_ptr request);

  /// The log goes on in this generation, behind the end. No batch may be under way.
  void turn_to(model::log_generation generation, std::int64_t stream_created_ns);

  /// Returns null when no batch is under way.
  [[nodiscard]] const open_batch* open() const { return open_ ? &open_->batch : nullptr; }
  /// Whether the open batch stands in the log already, and in the tail.
  [[nodiscard]] bool in_log() const { return open_ && open_->in_log; }
  [[nodiscard]] bool in_tail() const { return open_ && open_->in_tail; }

  /// Notes that one part of the commit is done; for the tail, at this position. Returns the batch
  /// when all are, and nothing when no batch is under way at that place any more.
  [[nodiscard]] std::optional<finished_batch> written_to_log();
  [[nodiscard]] std::optional<finished_batch> written_to_tail(model::log_position position);
  [[nodiscard]] std::optional<finished_batch> confirmed(const ledger::confirmation& by);
  /// Whether only confirmations of other planes are missing.
  [[nodiscard]] bool waits_for_planes() const { return open_ && open_->in_log && open_->in_tail; }

  /// Notes that the next record of the log is not ours. What is under way moves behind it and has
  /// to be written again in both places. The open batch must not stand in the log.
  void step_over();

  /// Ends all writing. Returns every append whose end has not been told; later calls change nothing
  /// and return none.
  [[nodiscard]] std::vector<ticket> stop(error why);

  [[nodiscard]] bool is_stopped() const { return stopped_.code != ec::none; }
  [[nodiscard]] const error& why_stopped() const { return stopped_; }
  [[nodiscard]] bool has_waiting() const { return !waiting_.empty(); }
  [[nodiscard]] const view::view_position& end() const { return end_; }
  /// The end as it stands in the log. Until a claim stands there, what others have written behind
  /// this end continues the chain, also in the epochs between.
  [[nodiscard]] view::view_position written_end() const;

 private:
  struct append {
    native::append_ptr request;
    std::size_t bytes = 0;
    ticket number = 0;
  };
  struct flight {
    open_batch batch;
    std::vector<append> appends;
    bool in_log = false;
    bool in_tail = false;
    model::epoch epoch{};
    std::uint64_t number = 0;  ///< The batch's number in that epoch.
    std::uint64_t hash = 0;
    std::optional<ledger::plane_set> planes{};  ///< Those that it names.
    std::set<std::string> confirmed_by{};
  };

  const open_batch& open_with(std::vector<append> appends);
  [[nodiscard]] std::vector<ledger::plane_set> sets_that_count() const;
  [[nodiscard]] std::optional<finished_batch> finish();

  view::view_position end_;           ///< Its epoch, holder and batch number are of the last claim.
  model::epoch written_epoch_;        ///< The epoch of the last batch that is written.
  std::uint64_t written_number_ = 0;  ///< Its number in that epoch.
  std::size_t batch_bytes_max_;
  std::shared_ptr<const codec::log_key> key_;
  std::string plane_;
  bool is_alone_ = false;  ///< See give_up_planes().
  model::claim_nonce nonce_{};
  std::deque<append> waiting_;
  std::optional<flight> open_;
  ticket last_ticket_ = 0;
  error stopped_{ec::none, {}};
};

}  // namespace argosy::batches
