// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/run/turns.hpp"

namespace argosy::backends {

namespace {

using model::output_stream;

/// In a part of any size there is room for some turns.
constexpr std::size_t turns_min = 64;

/// How many turns of the list are at or before this place.
std::size_t turns_until(std::size_t count, const turn_loader& load, std::uint64_t place) {
  std::size_t low = 0;
  std::size_t high = count;
  while (low < high) {
    const auto middle = low + (high - low) / 2;
    const auto turn = load(middle, 1);
    if (!turn.empty() && turn.front().from <= place)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

}  // namespace

std::array<char, turn_bytes> bytes_of(const output_turn& turn) {
  const auto number = turn.from << 1 | static_cast<std::uint64_t>(turn.to == output_stream::err);
  std::array<char, turn_bytes> out{};
  for (std::size_t i = 0; i < turn_bytes; ++i) out[i] = static_cast<char>(number >> (8 * i) & 0xff);
  return out;
}

std::vector<output_turn> turns_from(std::string_view bytes) {
  std::vector<output_turn> out;
  out.reserve(bytes.size() / turn_bytes);
  for (; bytes.size() >= turn_bytes; bytes.remove_prefix(turn_bytes)) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < turn_bytes; ++i)
      number |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    out.push_back({number >> 1, (number & 1) != 0 ? output_stream::err : output_stream::out});
  }
  return out;
}

turn_book::turn_book(std::uint64_t part_bytes_max)
    : count_max_(turns_min + static_cast<std::size_t>(part_bytes_max / (8 * turn_bytes))) {}

std::optional<output_turn> turn_book::due(std::uint64_t at, output_stream to) const {
  if (to == now_) return std::nullopt;
  // The last turn that has room is one to stdout.
  if (to == output_stream::err && count_ + 2 > count_max_) return std::nullopt;
  return output_turn{at, to};
}

void turn_book::note(const output_turn& turn) {
  ++count_;
  now_ = turn.to;
}

turns_of_piece turns_within(std::size_t count, const turn_loader& load, std::uint64_t from,
                            std::uint32_t size) {
  turns_of_piece out{{}, size};
  const auto first = turns_until(count, load, from);
  auto now = output_stream::out;
  const auto take = [&](std::uint64_t place, output_stream to) {
    if (to == now) return;
    now = to;
    out.at.push_back(static_cast<std::uint32_t>(place - from));
  };
  if (first > 0)
    if (const auto before = load(first - 1, 1); !before.empty()) take(from, before.front().to);
  auto last = from;
  std::size_t taken = 0;
  for (const auto& turn : load(first, piece_turns_max + 1)) {
    // A list that does not ascend is damaged, and is not read further.
    if (turn.from >= from + size || turn.from <= last) break;
    if (taken++ == piece_turns_max) {
      out.size = static_cast<std::uint32_t>(turn.from - from);
      break;
    }
    last = turn.from;
    take(turn.from, turn.to);
  }
  return out;
}

}  // namespace argosy::backends
