// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/api/pod_log.hpp"

#include <google/protobuf/util/time_util.h>

#include <vector>

#include "runtime/base/text.hpp"

namespace argosy::codec {

namespace {

using google::protobuf::util::TimeUtil;

/// Times beyond this are no times of lines. A minute stands for 60 GB of output.
constexpr std::int64_t window_ns = 60'000'000'000;
constexpr std::int64_t second_ns = 1'000'000'000;
/// Clients take answers of up to 4 MiB.
constexpr std::size_t answer_bytes_max = 3'500'000;
/// A line needs these bytes beside its text: its time, and the frames of both.
constexpr std::size_t line_bytes = 48;

std::string as_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto next = first_character(text);
    if (next.valid)
      out += text.substr(0, next.size);
    else
      out += "\xEF\xBF\xBD";
    text.remove_prefix(next.size);
  }
  return out;
}

struct found_line {
  std::string_view text;
  std::uint64_t offset = 0;
};

std::vector<found_line> split(std::string_view output, std::uint64_t offset) {
  std::vector<found_line> out;
  while (!output.empty()) {
    const auto newline = output.find('\n');
    out.push_back({output.substr(0, newline), offset});
    const auto size = newline == std::string_view::npos ? output.size() : newline + 1;
    output.remove_prefix(size);
    offset += size;
  }
  return out;
}

}  // namespace

std::uint64_t log_offset_since(const std::string& since, std::int64_t started_ns) {
  google::protobuf::Timestamp time;
  if (since.empty() || !TimeUtil::FromString(since, &time)) return 0;
  // Times far from any run have no number of nanoseconds.
  if (time.seconds() < 0 || time.seconds() > started_ns / second_ns + window_ns / second_ns)
    return 0;
  const auto after = TimeUtil::TimestampToNanoseconds(time) - started_ns;
  return after < 0 || after > window_ns ? 0 : static_cast<std::uint64_t>(after);
}

binoculars::LogResponse log_lines(std::string_view output, std::uint64_t offset,
                                  std::int64_t started_ns, std::size_t tail) {
  const auto lines = split(output, offset);
  const auto first = tail > 0 && tail < lines.size() ? lines.size() - tail : 0;
  binoculars::LogResponse out;
  std::size_t bytes = 0;
  for (std::size_t i = first; i < lines.size(); ++i) {
    auto text = as_utf8(lines[i].text);
    bytes += text.size() + line_bytes;
    if (bytes > answer_bytes_max && i > first) break;
    auto& line = *out.add_log();
    line.set_timestamp(TimeUtil::ToString(
        TimeUtil::NanosecondsToTimestamp(started_ns + static_cast<std::int64_t>(lines[i].offset))));
    line.set_line(std::move(text));
  }
  return out;
}

}  // namespace argosy::codec
