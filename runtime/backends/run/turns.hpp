// SPDX-License-Identifier: Apache-2.0
// Which bytes of a part of the output are of stderr: a list of the places where the streams take
// turns, each in 8 bytes, the first turn being that of stdout. Pure; output.hpp says where the list
// is kept.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/model/log_turns.hpp"

namespace argosy::backends {

/// From here on bytes are of this stream.
struct output_turn {
  std::uint64_t from = 0;  ///< How many bytes the command had written before.
  model::output_stream to = model::output_stream::out;
};

inline constexpr std::size_t turn_bytes = 8;

[[nodiscard]] std::array<char, turn_bytes> bytes_of(const output_turn& turn);
/// The turns in the bytes; a last one that is not whole is left out.
[[nodiscard]] std::vector<output_turn> turns_from(std::string_view bytes);

/// Knows which turns of a part were noted. Their bytes are at most about an eighth of the part's;
/// when that many are noted, the rest of the part is of stdout.
class turn_book {
 public:
  explicit turn_book(std::uint64_t part_bytes_max = 0);

  /// The turn to note before bytes of this stream at this place; nothing if they need none.
  [[nodiscard]] std::optional<output_turn> due(std::uint64_t at, model::output_stream to) const;
  void note(const output_turn& turn);
  [[nodiscard]] std::size_t count() const noexcept { return count_; }

 private:
  std::size_t count_max_;
  std::size_t count_ = 0;
  model::output_stream now_ = model::output_stream::out;
};

/// A piece of output holds at most so many turns.
inline constexpr std::size_t piece_turns_max = 16'384;

struct turns_of_piece {
  std::vector<std::uint32_t> at;  ///< As model::log_chunk::turns.
  std::uint32_t size = 0;         ///< How long the piece may be: less than asked if turns abound.
};

/// Gives up to `count` turns from the one with this number on.
using turn_loader = std::function<std::vector<output_turn>(std::size_t first, std::size_t count)>;

/// The turns of the piece of `size` bytes from `from` on, out of a list of `count`.
[[nodiscard]] turns_of_piece turns_within(std::size_t count, const turn_loader& load,
                                          std::uint64_t from, std::uint32_t size);

}  // namespace argosy::backends
