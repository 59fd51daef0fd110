// SPDX-License-Identifier: Apache-2.0
// The crash page is a file that a process has mapped: it notes there what it is at work on, and a
// signal by which it crashes. The kernel keeps the page when the process ends in whatever way, so
// that the next start can tell a crash from a kill. The signals are those of the whole process, so
// that it has one crash page.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "runtime/base/at_work.hpp"
#include "runtime/base/result.hpp"

namespace argosy {

/// What a start has left in the crash page.
struct start_traces {
  std::uint64_t start = 0;  ///< The number of the start.
  /// The signal that the process got by its own doing, as by a bad pointer or an abort; 0: none.
  int signal = 0;
  /// The kernel has ended some process of this machine since then, for want of memory.
  bool out_of_memory = false;
  /// The work of the thread that got the signal; without one, of the thread that was at work.
  work_note work{};

  friend bool operator==(const start_traces&, const start_traces&) = default;
};

/// What was under way, as the end of a sentence, for example "while it decided round 7, at job X".
[[nodiscard]] std::string what_was_under_way(const work_note& work);

struct crash_content;

class crash_page : public std::enable_shared_from_this<crash_page> {
 public:
  /// Maps the file, which is made if it is not there, and notes the signals of a crash from now on.
  /// Fails with the errors of the file system, which the messages name.
  [[nodiscard]] static result<std::shared_ptr<crash_page>> open(const std::filesystem::path& path);
  ~crash_page();
  crash_page(const crash_page&) = delete;
  crash_page& operator=(const crash_page&) = delete;

  /// What the last start has left.
  [[nodiscard]] start_traces traces() const;
  /// A start of this number begins, and has left nothing yet.
  void begin(std::uint64_t start);

  /// The process ends by an error of its own without a signal, which counts like an abort.
  void note_crash();

  /// Where the process notes its work; it lives no longer than what is returned.
  [[nodiscard]] std::shared_ptr<work_slot> work();

 private:
  explicit crash_page(crash_content* at) : at_(at) {}

  crash_content* at_;
};

/// Gives the calling thread a stack on which the note of a crash can be made when its own has
/// overflowed.
void prepare_thread_for_crash();

/// How often the kernel has ended a process of this machine for want of memory since its boot.
/// Nothing if it does not say.
[[nodiscard]] std::optional<std::uint64_t> count_memory_kills(
    const std::filesystem::path& statistics = "/proc/vmstat");

}  // namespace argosy
