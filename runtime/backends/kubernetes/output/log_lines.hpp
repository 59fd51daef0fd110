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

class log_lines {
 public:
  /// Output of lines before `since_ns` is left out, unless reading goes on from a place.
  explicit log_lines(const log_place& from, std::int64_t since_ns = 0)
      : given_(from), taken_(from), since_ns_(since_ns) {}

  /// The next bytes are those of another answer, which begins anywhere up to the end of the last.
  void begin_answer();
  void take(std::string_view bytes);
  /// The answer is whole. If it lacks the place where the one before was cut, what followed is
  /// gone; one that was followed to its end was not cut.
  void end_answer(bool was_followed);

  /// How many bytes wait to be given.
  [[nodiscard]] std::size_t waiting() const noexcept { return output_.size(); }
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
  void note_gap(std::int64_t until_ns);
  [[nodiscard]] std::uint64_t end() const noexcept { return base_ + waiting(); }

  absl::Cord output_;       ///< The output that waits to be given.
  std::uint64_t base_ = 0;  ///< How many bytes were given.
  std::deque<mark> marks_;  ///< The lines that begin in what waits.
  std::deque<gap> gaps_;
  log_place given_;
  log_place taken_;
  std::int64_t since_ns_;

  // The line that is being taken.
  std::string head_;             ///< What may be its time.
  bool in_line_ = false;         ///< Its time was read.
  std::uint64_t skip_ = 0;       ///< So many bytes of it were taken before.
  bool skips_line_ = false;      ///< All of it was taken before.
  std::optional<log_place> to_;  ///< The place that this answer has to come to.
  log_place seen_;               ///< The last line of this answer on the way there.
  bool complete_ = false;        ///< The answer before was followed to its end.
  bool told_end_ = false;        ///< It was noted that nothing is there behind the last line.
};

}  // namespace argosy::backends
