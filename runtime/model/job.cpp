// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/job.hpp"

#include <array>

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

}  // namespace

std::string_view to_string(job_state state) noexcept {
  return job_state_names[static_cast<std::size_t>(state)];
}

std::string_view to_string(run_state state) noexcept {
  return run_state_names[static_cast<std::size_t>(state)];
}

std::string to_string(const run_key& key) {
  return to_string(key.job) + "-" + std::to_string(key.number);
}

}  // namespace argosy::model
