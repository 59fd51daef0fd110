// SPDX-License-Identifier: Apache-2.0
// The output of a run as lines with times, as Binoculars gives it. Output has no times here. A line
// is given the start of its run and one nanosecond for each byte of output before it: that keeps
// the order of lines, and whoever asks for lines since the last one that he has goes on there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "messages/proto/api/binoculars.pb.h"

namespace argosy::codec {

/// How much output one answer has at most.
inline constexpr std::size_t pod_log_bytes_max = 2'000'000;

/// Where output that is wanted since this time begins. It is the beginning where the text is empty
/// or no RFC 3339, and for times before the run and more than a minute after its start, which none
/// of its lines were given.
[[nodiscard]] std::uint64_t log_offset_since(const std::string& since, std::int64_t started_ns);

/// The lines of output that begins at `offset`, only the last `tail` of them if that is not 0. The
/// last one may have no end yet. Bytes that are no UTF-8 become U+FFFD. Lines are left out once the
/// answer would have more than 3.5 MB; the next question begins with the first of them.
[[nodiscard]] binoculars::LogResponse log_lines(std::string_view output, std::uint64_t offset,
                                                std::int64_t started_ns, std::size_t tail);

}  // namespace argosy::codec
