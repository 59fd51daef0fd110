// SPDX-License-Identifier: Apache-2.0
// What a kubelet gives of a container's output, line by line with times, becomes output again; and
// every place in it has a name by which a later answer goes on there, also after the agent began
// anew. Pure.
//
// A kubelet names no bytes, and its output has no beginning any more once it was rotated. A place
// is named by the time of a line. An answer that goes on has to have the line where the last one
// ended, or what came after it was rotated away.
#pragma once

#include <absl/strings/cord.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace argosy::backends {

/// Behind so many bytes of a line.
struct log_place {
  std::int64_t time_ns = 0;  ///< When the line was begun, Unix time; 0: before the first line.
  std::uint64_t line = 0;    ///< Which of the lines of that time it is, from 1 on.
  std::uint64_t bytes = 0;

  friend bool operator==(const log_place&, const log_place&) = default;
};

[[nodiscard]] std::string to_text(const log_place& place);
[[nodiscard]] std::optional<log_place> parse_log_place(std::string_view text);

/// Tells when an output began, as far as that is known.
struct log_beginning {
  std::int64_t first_ns = 0;  ///< When its first line was written; 0: that is not known.
  /// Nobody looked in time: then this is when its container began, and what is not there from then
  /// on may have been rotated away.
  bool unseen = false;
};

/// Where reading begins that does not go on from a place.
struct log_start {
  std::int64_t since_ns = 0;  ///< Lines before are left out; 0: none.
  log_beginning beginning{};
  std::uint32_t tail = 0;  ///< Only so many lines were asked for; 0: all.
};

/// A kubelet looks every 10 s for outputs to rotate. Between the end of a file that was followed to
/// there and something that comes so soon after it, no other file has been.
inline constexpr std::chrono::seconds rotation_min{5};
/// The times at which containers begin are told in whole seconds. What is written so soon after has
/// nothing before it.
inline constexpr std::chrono::seconds beginning_max{2};

class log_lines {
 public:
  explicit log_lines(const log_place& from, const log_start& start = {})
      : given_(from), taken_(from), start_(start), is_end_(start.tail > 0) {}

  /// The beginning became known while its output was read.
  void learn(const log_beginning& beginning);
  /// The next bytes are those of another answer, which begins anywhere up to the end of the last,
  /// and was asked for so long after the last one had been followed to its end.
  void begin_answer(std::chrono::nanoseconds after = std::chrono::nanoseconds::max());
  void take(std::string_view bytes);
  /// The answer is whole. If it lacks the place where the one before was cut, what followed is
  /// gone; one that was followed to its end was not cut: the next may begin with the next file.
  void end_answer(bool was_followed);

  /// How many bytes wait to be given.
  [[nodiscard]] std::size_t waiting() const noexcept { return output_.size(); }
  /// Whether all that came was given, with the word of what is missing behind it.
  [[nodiscard]] bool all_given() const noexcept { return waiting() == 0 && gaps_.empty(); }
  /// Whether so much waits, of at most this many bytes, that no more should be taken.
  [[nodiscard]] bool is_full(std::size_t bytes_max) const noexcept;
  /// Behind what was given, and behind what was taken.
  [[nodiscard]] const log_place& given() const noexcept { return given_; }
  [[nodiscard]] const log_place& taken() const noexcept { return taken_; }

  struct piece {
    std::string data;
    std::string lost;  ///< In words what is missing before `data`; empty: nothing.
  };
  /// Gives up to `size_max` bytes of what waits.
  [[nodiscard]] piece give(std::size_t size_max);

 private:
  struct mark {
    std::uint64_t at = 0;  ///< Where a line begins, counted in bytes taken.
    log_place place;
  };
  struct gap {
    std::uint64_t at = 0;
    std::string words;
  };

  void begin_line(std::int64_t time_ns);
  void add(std::string_view text);
  void begin_first(std::int64_t time_ns);
  /// Whether what came, in as much as it should begin with the output, does not.
  [[nodiscard]] bool lacks_beginning() const;
  void note_missing_beginning();
  /// Without `until_ns`, all that followed is missing.
  void note_gap(std::int64_t from_ns, std::optional<std::int64_t> until_ns = {},
                bool is_certain = true);
  [[nodiscard]] std::uint64_t end() const noexcept { return base_ + waiting(); }

  absl::Cord output_;       ///< The output that waits to be given.
  std::uint64_t base_ = 0;  ///< How many bytes were given.
  std::deque<mark> marks_;  ///< The lines that begin in what waits.
  std::deque<gap> gaps_;
  log_place given_;
  log_place taken_;
  log_start start_;  ///< Its tail is what has not come.
  bool is_end_;      ///< Only the last lines were asked for.

  // The line that is being taken.
  std::string head_;             ///< What may be its time.
  bool in_line_ = false;         ///< Its time was read.
  std::uint64_t skip_ = 0;       ///< So many bytes of it were taken before.
  bool skips_line_ = false;      ///< All of it was taken before.
  std::optional<log_place> to_;  ///< The place that this answer has to come to.
  log_place seen_;               ///< The last line of this answer on the way there.
  struct {
    bool complete = false;  ///< What came last was followed to its end.
    bool soon = false;      ///< This answer was asked for before another file may have gone.
    bool told = false;      ///< It was noted that nothing is there behind the last line.
  } end_;
  std::int64_t first_ns_ = 0;  ///< The time of the first line that came of all.
};

}  // namespace argosy::backends
