// SPDX-License-Identifier: Apache-2.0
// Makes an argosyd that crashes: by a bad pointer in each round that places a job of the queue
// "poison", and by an abort some time after its first round if a job of the queue "late" is there.
// It is linked to the objects of argosyd.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "bins/argosyd/rounds.hpp"
#include "runtime/base/at_work.hpp"
#include "runtime/scheduling/round.hpp"
#include "runtime/scheduling/tables.hpp"

namespace argosy::argosyd {

namespace {

constexpr std::chrono::seconds late{2};

void crash_later() {
  static std::atomic<bool> begun{false};
  if (begun.exchange(true)) return;
  std::thread{[] {
    std::this_thread::sleep_for(late);
    std::abort();
  }}.detach();
}

scheduling::plan decide(const native::round_request& request) {
  const auto& from = *request.snapshot;
  auto plan = scheduling::schedule(from, *request.config, request.params);
  for (const auto& lease : plan.leases) {
    const auto queue = from.job_queue(lease.job_index);
    if (queue == "late") crash_later();
    if (queue != "poison") continue;
    at_work::at_job(lease.job);
    volatile int* nowhere = nullptr;
    *nowhere = 1;
  }
  return plan;
}

const bool set = [] {
  round_decider() = decide;
  return true;
}();

}  // namespace

}  // namespace argosy::argosyd
