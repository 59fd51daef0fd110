// SPDX-License-Identifier: Apache-2.0
// This file defines the units of durations and sizes for those who read and print settings. It is
// private to runtime/settings.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace argosy::settings {

inline constexpr std::uint64_t kibi = 1 << 10;
inline constexpr std::uint64_t mebi = 1 << 20;

/// `amount` is in milliseconds or bytes.
struct unit {
  std::string_view name;
  std::int64_t amount;
};

/// The largest unit stands first, so that printing takes the first that divides.
inline constexpr std::array<unit, 5> time_units{
    {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}}};

inline constexpr std::array<unit, 4> binary_units{
    {{"Ti", std::int64_t{1} << 40}, {"Gi", 1 << 30}, {"Mi", 1 << 20}, {"Ki", 1 << 10}}};
inline constexpr std::array<unit, 4> decimal_units{
    {{"T", 1'000'000'000'000}, {"G", 1'000'000'000}, {"M", 1'000'000}, {"K", 1'000}}};

}  // namespace argosy::settings
