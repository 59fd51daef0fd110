// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/output/log_lines.hpp"

#include <absl/time/time.h>

#include <algorithm>
#include <utility>

#include "runtime/base/whole_number.hpp"
#include "runtime/kube/rfc3339.hpp"

namespace argosy::backends {

namespace {

/// "2026-01-31T12:00:00.123456789+01:00" has 35 characters.
constexpr std::size_t time_size_max = 40;
constexpr std::size_t lines_max = 400'000;

std::string text_of(std::int64_t time_ns) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::FromUnixNanos(time_ns),
                          absl::UTCTimeZone());
}

template <typename Number>
bool read_number(std::string_view& text, Number& to) {
  const auto end = std::min(text.find('.'), text.size());
  const auto number = whole_number<Number>(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  if (number) to = *number;
  return number.has_value();
}

}  // namespace

std::string to_text(const log_place& place) {
  return std::to_string(place.time_ns) + "." + std::to_string(place.line) + "." +
         std::to_string(place.bytes);
}

std::optional<log_place> parse_log_place(std::string_view text) {
  log_place out;
  if (!read_number(text, out.time_ns) || !read_number(text, out.line) ||
      !read_number(text, out.bytes) || !text.empty())
    return std::nullopt;
  return out;
}

void log_lines::begin_answer(std::chrono::nanoseconds after) {
  head_.clear();
  in_line_ = false;
  skip_ = 0;
  skips_line_ = false;
  seen_ = {};
  to_.reset();
  if (taken_.time_ns != 0) to_ = taken_;
  end_.soon = after < rotation_min;
}

void log_lines::end_answer(bool was_followed) {
  const bool was_complete = std::exchange(end_.complete, was_followed);
  // An end of fewer lines than were asked for begins where the output does.
  if ((first_ns_ == 0 && taken_.time_ns == 0) || (start_.tail > 0 && !to_)) {
    if (!lacks_beginning()) return;
    note_missing_beginning();
  } else if (to_ && !was_complete && !end_.told) {
    note_gap(taken_.time_ns);
  } else {
    return;
  }
  end_.told = true;
}

bool log_lines::is_full(std::size_t bytes_max) const noexcept {
  return waiting() >= bytes_max || marks_.size() >= lines_max;
}

void log_lines::take(std::string_view bytes) {
  while (!bytes.empty()) {
    if (!in_line_) {
      const auto stop = bytes.find_first_of(" \n");
      const auto size = std::min(std::min(stop, bytes.size()), time_size_max - head_.size());
      head_ += bytes.substr(0, size);
      bytes.remove_prefix(size);
      if (bytes.empty() && head_.size() < time_size_max) return;
      in_line_ = true;
      const auto head = std::exchange(head_, {});
      const bool ends = !bytes.empty() && bytes.front() == ' ';
      if (const auto time = ends ? kube::read_rfc3339(head) : std::nullopt) {
        bytes.remove_prefix(1);
        begin_line(to_nanos(*time));
      } else {
        // A line of the kubelet's own, which has no time. An answer that goes on may begin so with
        // the rest of a line that was begun before the second from which it was asked for.
        skips_line_ = to_ && seen_.time_ns == 0;
        skip_ = 0;
        if (!skips_line_) add(head);
      }
      continue;
    }
    const auto newline = bytes.find('\n');
    const auto size = newline == std::string_view::npos ? bytes.size() : newline + 1;
    if (!skips_line_) add(bytes.substr(0, size));
    bytes.remove_prefix(size);
    if (newline != std::string_view::npos) in_line_ = false;
  }
}

void log_lines::begin_line(std::int64_t time_ns) {
  skip_ = 0;
  skips_line_ = false;
  if (to_) {
    seen_.line = seen_.time_ns == time_ns ? seen_.line + 1 : 1;
    seen_.time_ns = time_ns;
    skips_line_ = time_ns < to_->time_ns || (time_ns == to_->time_ns && seen_.line < to_->line);
    if (skips_line_) return;
    const auto from = *std::exchange(to_, std::nullopt);
    const bool was_complete = std::exchange(end_.complete, false);
    end_.told = false;
    if (time_ns == from.time_ns) {
      skip_ = from.bytes;
      return;
    }
    const bool is_next =
        end_.soon || time_ns - from.time_ns < std::chrono::nanoseconds{rotation_min}.count();
    if (!was_complete || !is_next) note_gap(from.time_ns, time_ns);
  } else if (time_ns < start_.since_ns) {
    skips_line_ = true;
    return;
  } else {
    begin_first(time_ns);
  }
  taken_ = {time_ns, taken_.time_ns == time_ns ? taken_.line + 1 : 1, 0};
  marks_.push_back({end(), taken_});
}

void log_lines::begin_first(std::int64_t time_ns) {
  end_.complete = false;
  if (start_.tail > 0) --start_.tail;
  if (first_ns_ != 0) return;
  first_ns_ = time_ns;
  // The end of an output may begin anywhere.
  if (!is_end_ && lacks_beginning()) note_missing_beginning();
}

void log_lines::learn(const log_beginning& beginning) {
  if (start_.beginning.first_ns != 0) return;
  start_.beginning = beginning;
  if (first_ns_ != 0 && !is_end_ && lacks_beginning()) note_missing_beginning();
}

bool log_lines::lacks_beginning() const {
  const auto [known_ns, unseen] = start_.beginning;
  const auto slack = unseen ? std::chrono::nanoseconds{beginning_max}.count() : 0;
  return known_ns != 0 && start_.since_ns <= known_ns &&
         (first_ns_ == 0 || first_ns_ > known_ns + slack) && !end_.told;
}

void log_lines::note_missing_beginning() {
  note_gap(start_.beginning.first_ns, first_ns_ != 0 ? std::optional{first_ns_} : std::nullopt,
           !start_.beginning.unseen);
}

void log_lines::note_gap(std::int64_t from_ns, std::optional<std::int64_t> until_ns,
                         bool is_certain) {
  gaps_.push_back(
      {end(), "what was written " +
                  (until_ns ? "between " + text_of(from_ns) + " and " + text_of(*until_ns)
                            : "after " + text_of(from_ns)) +
                  (is_certain ? " is missing: its node rotated the output away before it was read"
                              : " may be missing: nobody read the output in its first seconds, "
                                "and its node may have rotated it away")});
}

void log_lines::add(std::string_view text) {
  const auto skipped = std::min<std::uint64_t>(skip_, text.size());
  skip_ -= skipped;
  text.remove_prefix(skipped);
  output_.Append(absl::string_view{text.data(), text.size()});
  taken_.bytes += text.size();
}

log_lines::piece log_lines::give(std::size_t size_max) {
  piece out;
  if (!gaps_.empty() && gaps_.front().at == base_) {
    out.lost = std::move(gaps_.front().words);
    gaps_.pop_front();
  }
  auto size = std::min(waiting(), size_max);
  if (!gaps_.empty()) size = std::min<std::uint64_t>(size, gaps_.front().at - base_);
  out.data = std::string{output_.Subcord(0, size)};
  output_.RemovePrefix(size);
  base_ += size;
  given_.bytes += size;
  for (; !marks_.empty() && marks_.front().at < base_; marks_.pop_front()) {
    given_ = marks_.front().place;
    given_.bytes = base_ - marks_.front().at;
  }
  if (waiting() == 0) given_ = taken_;
  return out;
}

}  // namespace argosy::backends
