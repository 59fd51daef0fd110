// SPDX-License-Identifier: Apache-2.0
// Writes numbers as people read them: ages, times, amounts of resources, shares.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace argosy::ctl {

/// A duration: "0s", "95s", "3m12s", "95m", "3h20m", "30h", "5d"; negative ones count as zero.
[[nodiscard]] std::string human_duration(std::chrono::nanoseconds duration);

/// The time from `then_ns` to `now_ns` (Unix nanoseconds); "-" when `then_ns` is 0.
[[nodiscard]] std::string human_age(std::int64_t then_ns, std::int64_t now_ns);

/// A moment in UTC: "2026-11-20T15:04:05.123Z"; "-" for 0.
[[nodiscard]] std::string utc_time(std::int64_t unix_ns);

/// The time of day in UTC: "15:04:05.123".
[[nodiscard]] std::string utc_clock(std::int64_t unix_ns);

/// An amount in the resource's unit (cpu in 1/1000, memory and ephemeral-storage in bytes, all else
/// in pieces): "1.5", "0.25", "1.5Gi", "8".
[[nodiscard]] std::string human_amount(std::string_view resource, std::int64_t amount);

/// An amount of bytes: "512", "1.5Ki", "64Mi", with at most two decimals and without trailing
/// zeros.
[[nodiscard]] std::string human_bytes(std::int64_t bytes);

/// A share in percent: 0.314 is "31.4%". From 10 on it is a multiple: 45.2 is "45x".
[[nodiscard]] std::string human_share(double share);

}  // namespace argosy::ctl
