// SPDX-License-Identifier: Apache-2.0
// A note of what a thread is at work on, for whoever asks after a crash what was under way. It lies
// in a slot that may be part of memory which outlives the process. A thread without a slot notes
// nothing, so that pure code may note what it does wherever it runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>

#include "runtime/base/ulid.hpp"

namespace argosy {

enum class work_kind : std::uint32_t {
  none,
  replay,  ///< A record of the log is applied at the start; the number is its position.
  round,   ///< A round is decided; the number is that of the round.
};

struct work_note {
  work_kind kind = work_kind::none;
  std::uint64_t number = 0;
  ulid job{};  ///< The job that is being tried, the first one of its gang; nil: none is.

  friend bool operator==(const work_note&, const work_note&) = default;
};

/// Where one thread at a time notes its work. Other threads may read it, and then see each part as
/// it was at some moment.
class work_slot {
 public:
  void begin(work_kind kind, std::uint64_t number) noexcept {
    set_job({});
    set_number(number);
    kind_.store(static_cast<std::uint32_t>(kind), std::memory_order_relaxed);
  }
  void end() noexcept { begin(work_kind::none, 0); }
  void set_number(std::uint64_t number) noexcept {
    number_.store(number, std::memory_order_relaxed);
  }
  void set_job(const ulid& job) noexcept {
    std::uint64_t halves[2];
    std::memcpy(halves, job.bytes.data(), sizeof halves);
    job_[0].store(halves[0], std::memory_order_relaxed);
    job_[1].store(halves[1], std::memory_order_relaxed);
  }
  [[nodiscard]] work_note read() const noexcept {
    const std::uint64_t halves[2] = {job_[0].load(std::memory_order_relaxed),
                                     job_[1].load(std::memory_order_relaxed)};
    work_note out;
    out.kind = static_cast<work_kind>(kind_.load(std::memory_order_relaxed));
    out.number = number_.load(std::memory_order_relaxed);
    std::memcpy(out.job.bytes.data(), halves, sizeof halves);
    return out;
  }

 private:
  std::atomic<std::uint32_t> kind_{0};
  std::atomic<std::uint64_t> number_{0};
  std::atomic<std::uint64_t> job_[2]{};
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// The slot of this thread; null while it has none.
inline constinit thread_local work_slot* slot_of_thread = nullptr;

/// Notes in the slot, for the time that it lives, what its thread is at work on. A null slot is
/// allowed.
class at_work {
 public:
  at_work(work_slot* slot, work_kind kind, std::uint64_t number) noexcept {
    if (slot != nullptr) slot->begin(kind, number);
    slot_of_thread = slot;
  }
  ~at_work() {
    if (slot_of_thread != nullptr) slot_of_thread->end();
    slot_of_thread = nullptr;
  }
  at_work(const at_work&) = delete;
  at_work& operator=(const at_work&) = delete;

  /// Notes at which number, or at which job, the work of this thread has arrived.
  static void at_number(std::uint64_t number) noexcept {
    if (slot_of_thread != nullptr) slot_of_thread->set_number(number);
  }
  static void at_job(const ulid& job) noexcept {
    if (slot_of_thread != nullptr) slot_of_thread->set_job(job);
  }
};

/// Notes, for the time that it lives, at which job the work of this thread is.
class at_job {
 public:
  explicit at_job(const ulid& job) noexcept { at_work::at_job(job); }
  ~at_job() { at_work::at_job({}); }
  at_job(const at_job&) = delete;
  at_job& operator=(const at_job&) = delete;
};

}  // namespace argosy
