// SPDX-License-Identifier: Apache-2.0
// Output is kept in the order in which it came; beside it stands where its two streams take turns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace argosy::model {

enum class output_stream : std::uint8_t { out, err };

[[nodiscard]] constexpr output_stream other(output_stream one) {
  return one == output_stream::out ? output_stream::err : output_stream::out;
}

/// Calls take(stream, text) for each turn in `data`, in their order. `turns` is as that of a
/// log_chunk; a place behind the end of the data counts as its end.
template <typename Turns, typename Take>
void for_each_turn(std::string_view data, const Turns& turns, Take take) {
  auto now = output_stream::out;
  std::size_t begin = 0;
  const auto until = [&](std::size_t end) {
    end = std::clamp(end, begin, data.size());
    if (end > begin) take(now, data.substr(begin, end - begin));
    begin = end;
  };
  for (const auto turn : turns) {
    until(turn);
    now = other(now);
  }
  until(data.size());
}

}  // namespace argosy::model
