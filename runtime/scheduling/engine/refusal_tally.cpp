// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/refusal_tally.hpp"

namespace argosy::scheduling::engine {

namespace {

/// So many kinds of a queue are looked at one after the other.
constexpr int near = 8;

}  // namespace

refusal_tally::kind refusal_tally::kind_of(const refusal& refused) const {
  const auto& job = t_.jobs[refused.job_index];
  return {job.queue, job.shape, job.gang_terms, static_cast<std::uint32_t>(refused.code)};
}

void refusal_tally::add(const refusal& refused) {
  const auto key = kind_of(refused);
  const auto place = static_cast<std::uint32_t>(all_.size());
  auto* link = &first_[key[0]];
  int looks = 0;
  for (; *link != 0 && looks < near; link = &next_[*link - 1], ++looks) {
    auto& known = all_[*link - 1];
    if (known.code != refused.code || kind_of(known) != key) continue;
    known.jobs += refused.jobs;
    return;
  }
  if (looks < near) {
    *link = place + 1;
  } else if (const auto [at, is_new] = far_.try_emplace(key, place); !is_new) {
    all_[at->second].jobs += refused.jobs;
    return;
  }
  all_.push_back(refused);
  next_.push_back(0);
}

}  // namespace argosy::scheduling::engine
