// SPDX-License-Identifier: Apache-2.0
// Pseudo-random numbers and hashes that are the same on every machine, since decisions and digests
// depend on them.
#pragma once

#include <cstdint>
#include <string_view>

namespace argosy::scheduling::engine {

/// The step by which SplitMix64 advances its state.
inline constexpr std::uint64_t golden_step = 0x9e3779b97f4a7c15u;

/// The number of SplitMix64 that follows this state.
[[nodiscard]] constexpr std::uint64_t split_mix(std::uint64_t state) noexcept {
  state += golden_step;
  state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
  state = (state ^ (state >> 27)) * 0x94d049bb133111ebu;
  return state ^ (state >> 31);
}

/// Maps a number to 0 (included) up to 1 (not included).
[[nodiscard]] constexpr double unit_interval(std::uint64_t number) noexcept {
  return static_cast<double>(number >> 11) * 0x1p-53;
}

/// The FNV-1a hash with 64 bits.
[[nodiscard]] constexpr std::uint64_t hash_text(std::string_view text) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const auto c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace argosy::scheduling::engine
