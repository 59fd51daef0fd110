// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/simulated/sim_plan.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "runtime/base/random.hpp"

namespace argosy::backends {

namespace {

constexpr double seconds_max = 10.0 * 365 * 24 * 3600;

constexpr std::array<std::pair<std::string_view, double>, 7> units{
    {{"ns", 1e-9}, {"us", 1e-6}, {"µs", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}}};

/// A number that is written with digits and at most one point; takes it off the text.
std::optional<double> take_number(std::string_view& text) {
  const auto size = std::min(text.find_first_not_of("0123456789."), text.size());
  double value = 0;
  const auto [end, code] =
      std::from_chars(text.data(), text.data() + size, value, std::chars_format::fixed);
  if (size == 0 || code != std::errc{} || end != text.data() + size) return std::nullopt;
  text.remove_prefix(size);
  return value;
}

std::optional<double> take_unit(std::string_view& text) {
  const auto size = std::min(text.find_first_of("0123456789."), text.size());
  for (const auto& [name, seconds] : units) {
    if (text.substr(0, size) != name) continue;
    text.remove_prefix(size);
    return seconds;
  }
  return std::nullopt;
}

std::optional<double> parse_seconds(std::string_view text) {
  double sum = 0;
  do {
    const auto number = take_number(text);
    if (!number) return std::nullopt;
    if (text.empty() && sum == 0) return *number;
    const auto unit = take_unit(text);
    if (!unit) return std::nullopt;
    sum += *number * *unit;
  } while (!text.empty());
  return sum;
}

std::string_view find(const model::label_list& annotations, std::string_view name) {
  for (const auto& [key, value] : annotations)
    if (key == name) return value;
  return {};
}

failure bad_annotation(const char* name, std::string_view value, const char* wanted) {
  return fail(ec::invalid_argument, "annotation " + std::string{name} + " is '" +
                                        std::string{value} + "'; it has to be " + wanted);
}

/// Random values that follow from the seed and the run alone.
seeded_random source_of(const model::run_key& run, std::uint64_t seed) {
  std::uint64_t mixed = seed;
  for (const auto byte : run.job.bytes) mixed = (mixed ^ byte) * 0x100000001b3ULL;
  return seeded_random{(mixed ^ run.number) * 0x9e3779b97f4a7c15ULL};
}

/// Uniform in [0, 1).
double draw(seeded_random& random) {
  return static_cast<double>(random.next() >> 11) * 0x1p-53;
}

}  // namespace

result<std::chrono::nanoseconds> parse_sim_duration(std::string_view text) {
  const auto seconds = parse_seconds(text);
  if (!seconds || *seconds > seconds_max)
    return fail(ec::invalid_argument, "'" + std::string{text} +
                                          "' is no duration; write seconds (\"1.5\") or units "
                                          "(\"1m30s\", \"250ms\"), at most ten years");
  return std::chrono::nanoseconds{std::llround(*seconds * 1e9)};
}

result<sim_plan> plan_simulated_run(const model::run_key& run, const model::label_list& annotations,
                                    const sim_defaults& defaults) {
  sim_plan out{defaults.runtime, 0};
  if (const auto text = find(annotations, sim_annotation::runtime); !text.empty()) {
    const auto parsed = parse_sim_duration(text);
    if (!parsed)
      return bad_annotation(sim_annotation::runtime, text,
                            "seconds (\"1.5\") or a duration (\"1m30s\")");
    out.runtime = *parsed;
  } else if (defaults.runtime_spread > 0) {
    auto random = source_of(run, defaults.seed + 1);
    const auto factor = 1 + defaults.runtime_spread * (2 * draw(random) - 1);
    out.runtime = std::chrono::nanoseconds{
        std::llround(static_cast<double>(defaults.runtime.count()) * factor)};
  }
  if (const auto text = find(annotations, sim_annotation::exit_code); !text.empty()) {
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out.exit_code);
    if (code != std::errc{} || end != text.data() + text.size() || out.exit_code < 0 ||
        out.exit_code > 255)
      return bad_annotation(sim_annotation::exit_code, text, "a number from 0 to 255");
  }
  double rate = defaults.failure_rate;
  if (const auto text = find(annotations, sim_annotation::failure_rate); !text.empty()) {
    auto rest = text;
    const auto parsed = take_number(rest);
    if (!parsed || !rest.empty() || *parsed > 1)
      return bad_annotation(sim_annotation::failure_rate, text, "a number from 0 to 1");
    rate = *parsed;
  }
  if (out.exit_code == 0 && rate > 0) {
    auto random = source_of(run, defaults.seed);
    if (draw(random) < rate) out.exit_code = 1;
  }
  return out;
}

}  // namespace argosy::backends
