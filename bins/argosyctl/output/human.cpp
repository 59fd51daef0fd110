// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/output/human.hpp"

#include <fmt/format.h>

#include <array>
#include <ctime>
#include <utility>

namespace argosy::ctl {

namespace {

constexpr std::int64_t nanos_per_second = 1'000'000'000;

std::string trimmed_decimals(double value, int decimals = 2) {
  auto text = fmt::format("{:.{}f}", value, decimals);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::tm utc_fields(std::int64_t unix_ns) {
  const auto seconds = static_cast<std::time_t>(unix_ns / nanos_per_second);
  std::tm fields{};
  gmtime_r(&seconds, &fields);
  return fields;
}

}  // namespace

std::string human_duration(std::chrono::nanoseconds duration) {
  const auto s = std::max<std::int64_t>(0, duration.count() / nanos_per_second);
  if (s < 120) return fmt::format("{}s", s);
  const auto m = s / 60;
  if (m < 10) return s % 60 == 0 ? fmt::format("{}m", m) : fmt::format("{}m{}s", m, s % 60);
  if (m < 180) return fmt::format("{}m", m);
  const auto h = m / 60;
  if (h < 8) return m % 60 == 0 ? fmt::format("{}h", h) : fmt::format("{}h{}m", h, m % 60);
  if (h < 48) return fmt::format("{}h", h);
  return fmt::format("{}d", h / 24);
}

std::string human_age(std::int64_t then_ns, std::int64_t now_ns) {
  if (then_ns == 0) return "-";
  return human_duration(std::chrono::nanoseconds{now_ns - then_ns});
}

std::string utc_time(std::int64_t unix_ns) {
  if (unix_ns == 0) return "-";
  const auto t = utc_fields(unix_ns);
  return fmt::format("{:04}-{:02}-{:02}T{}Z", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday,
                     utc_clock(unix_ns));
}

std::string utc_clock(std::int64_t unix_ns) {
  const auto t = utc_fields(unix_ns);
  return fmt::format("{:02}:{:02}:{:02}.{:03}", t.tm_hour, t.tm_min, t.tm_sec,
                     (unix_ns % nanos_per_second) / 1'000'000);
}

std::string human_bytes(std::int64_t bytes) {
  constexpr std::array units{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return trimmed_decimals(value) + units.at(unit);
}

std::string human_amount(std::string_view resource, std::int64_t amount) {
  // Thousandths of a core would read like minutes.
  if (resource == "cpu")
    return trimmed_decimals(static_cast<double>(amount) / 1000, amount < 1000 ? 3 : 2);
  if (resource == "memory" || resource == "ephemeral-storage" || resource.starts_with("hugepages-"))
    return human_bytes(amount);
  return fmt::format("{}", amount);
}

std::string human_share(double share) {
  if (share >= 10) return fmt::format("{:.0f}%", share * 100);
  return fmt::format("{:.1f}%", share * 100);
}

}  // namespace argosy::ctl
