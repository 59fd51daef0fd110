// SPDX-License-Identifier: Apache-2.0
// Numbers that look like chance and are the same everywhere: decisions and digests depend on them.
#pragma once

#include <cstdint>
#include <string_view>

namespace argosy::scheduling::engine {

/// By which SplitMix64 goes on from one number to the next.
inline constexpr std::uint64_t golden_step = 0x9e3779b97f4a7c15u;

/// The number of SplitMix64 that follows this state.
[[nodiscard]] constexpr std::uint64_t split_mix(std::uint64_t state) noexcept {
  state += golden_step;
  state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
  state = (state ^ (state >> 27)) * 0x94d049bb133111ebu;
  return state ^ (state >> 31);
}

/// From 0 up to, but not including, 1.
[[nodiscard]] constexpr double unit_interval(std::uint64_t number) noexcept {
  return static_cast<double>(number >> 11) * 0x1p-53;
}

/// FNV-1a of 64 bits.
[[nodiscard]] constexpr std::uint64_t hash_text(std::string_view text) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const auto c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace argosy::scheduling::engine
