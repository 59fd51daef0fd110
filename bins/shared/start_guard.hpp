// SPDX-License-Identifier: Apache-2.0
// The start guard counts starts of argosyd that crashed before they were settled. After three in a
// row the process starts in safe mode, in which it answers and cancels but decides no rounds:
// whatever crashes it, a round or what it was asked to take, is then not done again before an
// operator has looked. The count is a small file in the data directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "runtime/base/result.hpp"

namespace argosy {

/// The content of the file: it tells each start how the starts before it ended.
struct start_record {
  std::uint32_t crashes = 0;   ///< Starts in a row that crashed before they were settled.
  std::uint64_t position = 0;  ///< The position of the log that the last start reached.
  bool open = false;           ///< The start that wrote the file has not been settled since.

  friend bool operator==(const start_record&, const start_record&) = default;
};

/// How many such starts bring about the safe mode.
inline constexpr std::uint32_t crashes_max = 3;

[[nodiscard]] std::string print(const start_record& record);
/// Reads what print() wrote. Anything else counts as no record at all, since the guard must never
/// keep argosyd from starting.
[[nodiscard]] start_record parse_start_record(std::string_view text);

/// A start begins. If the one before was not settled, it crashed.
[[nodiscard]] start_record begun(const start_record& before);
/// The state of the start is at this position of the log. If the log has grown since the start
/// before, work went on in between, and the crashes before had another cause.
[[nodiscard]] start_record reached(const start_record& now, std::uint64_t position);
/// The start is ready, and it has recorded a round or a request or had nothing to decide; or it
/// ended in order.
[[nodiscard]] start_record settled(const start_record& now);
[[nodiscard]] constexpr bool wants_safe_mode(const start_record& record) noexcept {
  return record.crashes >= crashes_max;
}

/// Keeps the record in a file of the data directory. It is used on one thread.
class start_guard {
 public:
  explicit start_guard(const std::filesystem::path& data_dir);

  /// Notes durably that a start begins, before anything is done that may crash; while a
  /// start is under way it does nothing. With `leave_safe_mode` the crashes before count for
  /// nothing.
  result<void> begin(bool leave_safe_mode);
  /// Notes the position of the log that was reached.
  result<void> reach(std::uint64_t position);
  [[nodiscard]] bool safe_mode() const noexcept { return wants_safe_mode(now_); }
  [[nodiscard]] const start_record& now() const noexcept { return now_; }
  /// Notes that the start is settled. Does nothing the second time.
  result<void> settle();

 private:
  /// Writes the record durably, unless it is what the file has.
  result<void> keep(const start_record& next);

  std::filesystem::path file_;
  start_record now_;
};

}  // namespace argosy
