// SPDX-License-Identifier: Apache-2.0
// log_load knows how much is on its way to the log, and how full log and store are. The JOURNAL
// tells it how the log stands, the STORE how the store does. The JOURNAL is asked here to roll
// over. The owners of state count here what they have applied, and ask it before they decide a new
// command, which they then refuse if too much waits: once decided, a command is never refused.
// Metrics read it as well. It may be used from any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"
#include "runtime/eventlog/fill.hpp"
#include "runtime/eventlog/log_intake.hpp"
#include "runtime/model/identifiers.hpp"
#include "runtime/model/plane.hpp"

namespace argosy::eventlog {

class recent_changes;

/// The file system on which the store and the rest of the data directory lie.
struct disk_room {
  std::uint64_t free_bytes = 0;
  std::uint64_t bytes = 0;  ///< 0: it is not known.
  /// How full it counts as, with what the store has freed of its file and can use again.
  fill counted{};
  /// What can still be written, with what the file system keeps for the store alone.
  std::uint64_t writable_bytes = 0;
};

/// What a command of a user does to the room of log and store.
enum class command_kind : std::uint8_t {
  growing,    ///< It brings something new.
  relieving,  ///< It ends, removes or holds back something, so that room comes from it.
};

class log_load {
 public:
  /// Above `bytes_max` no new command is decided; a single decision may go above it.
  explicit log_load(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  /// Counts bytes that were applied and wait for the log, or that wait no longer.
  void add(std::size_t bytes) noexcept { bytes_ += bytes; }
  void remove(std::size_t bytes) noexcept { bytes_ -= bytes; }
  /// It knows what the log takes now.
  [[nodiscard]] log_intake& intake() noexcept { return intake_; }
  [[nodiscard]] const log_intake& intake() const noexcept { return intake_; }
  /// Whether the tail has no room for more batches of which the log may not be on its disk yet.
  void set_tail_full(bool full) noexcept { tail_full_ = full; }
  [[nodiscard]] bool tail_full() const noexcept { return tail_full_; }
  /// `older` is what generations that are not written any more take besides.
  void set_log(const fill& log, std::uint64_t records = 0, std::uint64_t older = 0) noexcept {
    log_older_bytes_ = older;
    log_bytes_ = log.bytes;
    log_bytes_max_ = log.bytes_max;
    log_records_ = records;
  }
  /// Counts a record that the log took since set_log().
  void add_to_log(std::size_t bytes) noexcept {
    log_bytes_ += bytes;
    ++log_records_;
  }
  [[nodiscard]] fill log() const noexcept { return {log_bytes_, log_bytes_max_}; }
  [[nodiscard]] std::uint64_t log_records() const noexcept { return log_records_; }
  [[nodiscard]] std::uint64_t log_older_bytes() const noexcept { return log_older_bytes_; }
  /// `store` is what lives in it and may live in it, with `held`, the bytes that were freed and
  /// that readers keep; `file` is its file and the limit of that.
  void set_store(const fill& store, const fill& file = {}, std::uint64_t held = 0) noexcept {
    store_held_bytes_ = held;
    store_bytes_ = store.bytes;
    store_bytes_max_ = store.bytes_max;
    store_file_bytes_ = file.bytes;
    store_file_bytes_max_ = file.bytes_max;
  }
  [[nodiscard]] fill store() const noexcept { return {store_bytes_, store_bytes_max_}; }
  [[nodiscard]] fill store_file() const noexcept {
    return {store_file_bytes_, store_file_bytes_max_};
  }
  [[nodiscard]] std::uint64_t store_held() const noexcept { return store_held_bytes_; }
  void set_disk(const disk_room& disk) noexcept {
    disk_free_bytes_ = disk.free_bytes;
    disk_bytes_ = disk.bytes;
    disk_counted_ = disk.counted.bytes;
    disk_counted_max_ = disk.counted.bytes_max;
    disk_writable_ = disk.writable_bytes;
  }
  [[nodiscard]] disk_room disk() const noexcept {
    return {disk_free_bytes_, disk_bytes_, {disk_counted_, disk_counted_max_}, disk_writable_};
  }
  /// The disk on which the nats-server keeps the log, where that is known; of 0 bytes otherwise.
  void set_log_disk(std::uint64_t free_bytes, std::uint64_t bytes) noexcept {
    log_disk_free_bytes_ = free_bytes;
    log_disk_bytes_ = bytes;
  }
  [[nodiscard]] fill log_disk() const noexcept {
    return disk_fill(log_disk_free_bytes_, log_disk_bytes_);
  }
  /// What the nats-server allows all streams of the log's account and what is free of it, where it
  /// sets a limit; of 0 bytes otherwise.
  void set_log_account(std::uint64_t free_bytes, std::uint64_t bytes) noexcept {
    log_account_free_bytes_ = free_bytes;
    log_account_bytes_ = bytes;
    log_account_since_ = log_bytes_.load();
  }
  [[nodiscard]] fill log_account_room() const noexcept {
    const std::uint64_t all = log_account_bytes_;
    return {all - std::min<std::uint64_t>(all, log_account_free_bytes_), all};
  }
  /// How full the log counts as, if others leave it less than it may take itself.
  [[nodiscard]] fill log_account() const noexcept;
  /// Sets the position of the last record that is durable and applied to the view.
  void set_position(model::log_position position) noexcept { position_ = position.value; }
  [[nodiscard]] model::log_position position() const noexcept { return {position_}; }
  /// Where jobs have changed lately, which the STORE notes before set_position() is called; null:
  /// nobody asks. Set it before others use this.
  void set_changes(std::shared_ptr<recent_changes> changes) noexcept {
    changes_ = std::move(changes);
  }
  [[nodiscard]] const std::shared_ptr<recent_changes>& changes() const noexcept { return changes_; }
  [[nodiscard]] std::size_t waiting_bytes() const noexcept { return bytes_; }

  /// The last committed record is this one, which the view has as well.
  void set_committed(const model::record_name& record) {
    const std::lock_guard lock{mutex_};
    committed_ = record;
  }
  [[nodiscard]] model::record_name committed() const {
    const std::lock_guard lock{mutex_};
    return committed_;
  }
  /// A batch is on its way since now, or none is.
  void batch_begins(boot_time now) noexcept { batch_since_ = now.count(); }
  void batch_ends() noexcept { batch_since_ = 0; }
  /// Whether a batch or a question to the log has been on its way for longer than this.
  [[nodiscard]] bool is_stuck(boot_time now, boot_time longest) const noexcept;
  /// Whether no other plane confirms what is to be committed.
  void set_alone(bool alone) noexcept { alone_ = alone; }

  /// The log is being asked to take a record, or where it ends. If it has not answered an earlier
  /// question, it has been silent since that one.
  void ask(boot_time now) noexcept {
    std::int64_t none = 0;
    silent_since_.compare_exchange_strong(none, now.count());
  }
  /// The log took the record, or said where it ends.
  void answered() noexcept { silent_since_ = 0; }
  /// Fails with ec::unavailable while the log has been silent for `log_patience`.
  [[nodiscard]] result<void> answers(boot_time now) const;
  static constexpr std::chrono::seconds log_patience{5};
  /// Asks the JOURNAL to end this generation of the log and to go on in the next one.
  void ask_to_roll_over(model::log_generation generation) noexcept { ending_ = generation; }
  /// Which generation is to end, if that was asked since the last call; 0: none is.
  [[nodiscard]] model::log_generation take_roll_over() noexcept { return ending_.exchange({}); }

  /// In safe mode nothing new is accepted; what brings room is.
  void set_safe_mode() noexcept { safe_mode_ = true; }

  /// Whether a command may be decided. Fails with ec::out_of_space in safe mode, when the log is
  /// full, when it takes no record as long as one that waits, and when log, store or disk are so
  /// full that the rest is kept for what is accepted; all of these last until an operator acts.
  /// Fails with ec::overloaded when the log does not keep up. Commands that bring room are taken
  /// until the log is full.
  [[nodiscard]] result<void> admit(command_kind kind = command_kind::growing) const;
  /// Whether fits() is worth asking.
  [[nodiscard]] bool is_filling() const noexcept {
    return log().reaches(warn_percent) || store().reaches(warn_percent) ||
           disk().counted.reaches(warn_percent) || log_disk().reaches(warn_percent) ||
           log_account().reaches(warn_percent);
  }
  /// Whether a decision of this size leaves log, store and disk some room. What brings room may
  /// take the last of a disk, as far as anything is left or kept to write it to. Fails with
  /// ec::out_of_space.
  [[nodiscard]] result<void> fits(std::size_t bytes,
                                  command_kind kind = command_kind::growing) const;

 private:
  [[nodiscard]] tl::unexpected<error> refuse_for_store() const;

  const std::size_t bytes_max_;
  std::shared_ptr<recent_changes> changes_;
  std::atomic<std::size_t> bytes_{0};
  log_intake intake_;
  std::atomic<bool> tail_full_{false};
  std::atomic<bool> safe_mode_{false};
  std::atomic<model::log_generation> ending_{};
  std::atomic<std::uint64_t> log_bytes_{0};
  std::atomic<std::uint64_t> log_bytes_max_{0};
  std::atomic<std::uint64_t> log_records_{0};
  std::atomic<std::uint64_t> log_older_bytes_{0};
  std::atomic<std::uint64_t> store_bytes_{0};
  std::atomic<std::uint64_t> store_bytes_max_{0};
  std::atomic<std::uint64_t> store_held_bytes_{0};  ///< Counted in store_bytes_ as well.
  std::atomic<std::uint64_t> disk_free_bytes_{0};
  std::atomic<std::uint64_t> disk_bytes_{0};
  std::atomic<std::uint64_t> disk_counted_{0};
  std::atomic<std::uint64_t> disk_counted_max_{0};
  std::atomic<std::uint64_t> disk_writable_{0};
  std::atomic<std::uint64_t> log_disk_free_bytes_{0};
  std::atomic<std::uint64_t> log_disk_bytes_{0};
  std::atomic<std::uint64_t> log_account_free_bytes_{0};
  std::atomic<std::uint64_t> log_account_bytes_{0};
  std::atomic<std::uint64_t> log_account_since_{0};  ///< The bytes of the log at that time.
  std::atomic<std::uint64_t> store_file_bytes_{0};
  std::atomic<std::uint64_t> store_file_bytes_max_{0};
  std::atomic<std::uint64_t> position_{0};
  std::atomic<std::int64_t> silent_since_{0};  ///< Time since boot; 0 while the log answers.
  std::atomic<std::int64_t> batch_since_{0};   ///< Time since boot; 0: none is on its way.
  std::atomic<bool> alone_{false};
  mutable std::mutex mutex_;
  model::record_name committed_;  ///< Guarded by mutex_.
};

}  // namespace argosy::eventlog
