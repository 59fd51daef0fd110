// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/job.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include "runtime/base/text.hpp"
#include "runtime/model/label_syntax.hpp"

namespace argosy::model {

namespace {

constexpr std::array<std::string_view, 9> job_state_names{"QUEUED",    "LEASED",    "PENDING",
                                                          "RUNNING",   "SUCCEEDED", "FAILED",
                                                          "PREEMPTED", "CANCELLED", "REJECTED"};
static_assert(job_state_names.size() == static_cast<std::size_t>(job_state::rejected) + 1);

constexpr std::array<std::string_view, 9> run_state_names{
    "LEASED",    "PENDING",   "RUNNING",        "SUCCEEDED",    "FAILED",
    "PREEMPTED", "CANCELLED", "LEASE_RETURNED", "LEASE_EXPIRED"};
static_assert(run_state_names.size() == static_cast<std::size_t>(run_state::lease_expired) + 1);

constexpr std::array<std::string_view, 4> effects{"", "NoSchedule", "PreferNoSchedule",
                                                  "NoExecute"};

}  // namespace

std::optional<toleration_fault> find_fault(const toleration& in) {
  const auto fault = [](std::string_view field, std::string why) {
    return std::optional{toleration_fault{field, std::move(why)}};
  };
  if (in.key.empty() && !in.exists)
    return fault("key", "is empty, which only operator Exists allows");
  if (!in.key.empty() && !is_label_name(in.key))
    return fault("key", "is '" + in.key +
                            "', which is no name of a label: " + std::string{label_name_words});
  if (in.exists && !in.value.empty()) return fault("value", "must be empty with operator Exists");
  if (!is_label_value(in.value))
    return fault("value", "is '" + in.value +
                              "', which is no value of a label: " + std::string{label_value_words});
  if (std::ranges::find(effects, in.effect) == effects.end())
    return fault("effect", "is '" + shown(in.effect) +
                               "', which is not one of NoSchedule, PreferNoSchedule, NoExecute");
  return std::nullopt;
}

std::string_view to_string(job_state state) noexcept {
  return job_state_names[static_cast<std::size_t>(state)];
}

std::string_view to_string(run_state state) noexcept {
  return run_state_names[static_cast<std::size_t>(state)];
}

std::string_view to_string(stop_cause why) noexcept {
  constexpr std::array<std::string_view, 4> names{"", "cancel", "preempt", "requeue"};
  return names[static_cast<std::size_t>(why)];
}

std::string to_string(const run_key& key) {
  return to_string(key.job) + "-" + std::to_string(key.number);
}

std::string utc_text(std::int64_t time_ns) {
  using namespace std::chrono;
  const sys_seconds second{floor<seconds>(nanoseconds{time_ns})};
  const auto day = floor<days>(second);
  const year_month_day date{day};
  const hh_mm_ss time{second - day};
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02u %02d:%02d:%02d UTC", int{date.year()},
                unsigned{date.month()}, unsigned{date.day()},
                static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                static_cast<int>(time.seconds().count()));
  return text.data();
}

std::string_view code_of(const job_hold& hold) noexcept {
  return hold.blocked ? "BLOCKED" : hold.waits ? "WAITS_FOR_JOBS" : "HELD";
}

std::string to_string(const job_hold& hold) {
  if (hold.blocked || hold.waits) return hold.reason;
  return "held by " + (hold.by.empty() ? "somebody" : hold.by) + " since " +
         utc_text(hold.since_ns) + (hold.reason.empty() ? "" : ": " + hold.reason);
}

}  // namespace argosy::model
