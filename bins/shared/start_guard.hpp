// SPDX-License-Identifier: Apache-2.0
// The start guard counts starts of argosyd that crashed, and knows at which job. After two crashes
// at one job that job is set aside; after three crashes in a row the process starts in safe mode,
// in which it answers and cancels but decides no rounds: whatever crashes it is then not done again
// before an operator has looked. The count is a small file in the data directory.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "bins/shared/crash_page.hpp"
#include "runtime/base/result.hpp"
#include "runtime/base/ulid.hpp"

namespace argosy {

/// The content of the file: it tells each start how the starts before it ended.
struct start_record {
  std::uint64_t number = 0;     ///< The number of the start that wrote the file, from 1.
  std::uint32_t crashes = 0;    ///< Starts in a row that crashed.
  bool open = false;            ///< That start has neither ended in order nor lived for long.
  ulid suspect{};               ///< The job at which the last crash happened; nil: none is known.
  std::uint32_t suspected = 0;  ///< Crashes in a row at this job.

  friend bool operator==(const start_record&, const start_record&) = default;
};

/// How many crashes in a row bring about the safe mode.
inline constexpr std::uint32_t crashes_max = 3;
/// How many crashes in a row at one job have it set aside.
inline constexpr std::uint32_t crashes_of_job_max = 2;
/// A start that has lived for so long is settled: what crashes it later is not counted.
inline constexpr std::chrono::hours long_life{1};

[[nodiscard]] std::string print(const start_record& record);
/// Reads what print() wrote. Anything else counts as no record at all, since the guard must never
/// keep argosyd from starting.
[[nodiscard]] start_record parse_start_record(std::string_view text);

/// Whether the start that left these traces crashed: it got a signal by its own doing, or the
/// kernel ended processes for want of memory while it was at work. A process that somebody killed
/// leaves neither, whatever it was doing.
[[nodiscard]] bool is_crash(const start_traces& left);
/// A start begins, after one that wrote `before` and left these traces.
[[nodiscard]] start_record begun(const start_record& before, const start_traces& left);
/// The start ended in order, or has lived for long.
[[nodiscard]] start_record settled(const start_record& now);
[[nodiscard]] constexpr bool wants_safe_mode(const start_record& record) noexcept {
  return record.crashes >= crashes_max;
}
/// The job that is to be set aside, or nil. Whatever crashes argosyd after that is not blamed on
/// another job: there is a fault that is not that job's.
[[nodiscard]] ulid to_set_aside(const start_record& record) noexcept;

/// Keeps the record in a file of the data directory. It is used on one thread.
class start_guard {
 public:
  explicit start_guard(const std::filesystem::path& data_dir);

  /// Notes durably that a start begins, before anything is done that may crash; while a
  /// start is under way it does nothing. With `leave_safe_mode` the crashes before count for
  /// nothing.
  result<void> begin(bool leave_safe_mode);
  [[nodiscard]] bool safe_mode() const noexcept { return wants_safe_mode(now_); }
  [[nodiscard]] const start_record& now() const noexcept { return now_; }
  /// How the start before this one ended, if that was no end in order.
  [[nodiscard]] const start_traces& before() const noexcept { return before_; }
  /// Where this process notes what it is at work on. Begin first.
  [[nodiscard]] std::shared_ptr<work_slot> work() const { return page_->work(); }
  /// Notes that the start ends in order by an error of the program, as bad as a signal.
  void crashed() { page_->note_crash(); }
  /// Notes that the start is settled. Does nothing the second time.
  result<void> settle();

 private:
  /// Writes the record durably, unless it is what the file has.
  result<void> keep(const start_record& next);

  std::filesystem::path file_;
  std::filesystem::path page_file_;
  start_record now_;
  start_traces before_;
  std::shared_ptr<crash_page> page_;
};

}  // namespace argosy
