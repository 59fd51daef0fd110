// SPDX-License-Identifier: Apache-2.0
// Jobs of other pools on the nodes of a round. Guests count in a row below all others and may be
// pushed out; strangers only take room.
#include <algorithm>

#include "runtime/scheduling/engine/nodes/space.hpp"

namespace argosy::scheduling::engine {

void space::name_pools(std::uint32_t pool) {
  pool_ = pool;
  mixed_ = t.pools.size() > 1;
  lending_ = {pool};
  const auto add = [&](const std::vector<std::string>& names, std::vector<std::uint32_t>& into) {
    for (const auto& name : names)
      if (const auto number = t.pools.find(name); number != none && number != pool)
        into.push_back(number);
  };
  add(conf.away_pools, lending_);
  add(conf.guest_pools, guest_pools_);
}

bool space::visits(const job_record& job) const {
  return job.running && t.nodes[job.node].pool == pool_ &&
         std::find(guest_pools_.begin(), guest_pools_.end(), job.run_pool) != guest_pools_.end();
}

std::vector<std::int64_t> space::held_by_others(std::uint32_t node) const {
  std::vector<std::int64_t> held;
  if (!mixed_) return held;
  for (const auto job : t.nodes[slots[node]].jobs) {
    if (!is_stranger(t.jobs[job])) continue;
    held.resize(dims, 0);
    for (std::uint32_t d = 0; d < dims; ++d) held[d] += t.amounts(t.jobs[job].shape)[d];
  }
  return held;
}

void space::fill_mixed_rows(std::uint32_t number, std::uint32_t slot) {
  auto* base = free_.data() + std::size_t{number} * rows.size() * dims;
  auto* all = total.data() + std::size_t{number} * dims;
  const auto held = held_by_others(number);
  if (!held.empty())
    for (std::uint32_t d = 0; d < dims; ++d) all[d] = std::max<std::int64_t>(0, all[d] - held[d]);
  for (std::uint32_t r = 0; r < row_count(); ++r) std::copy_n(all, dims, base + r * dims);
  for (const auto job : t.nodes[slot].jobs) {
    const auto& record = t.jobs[job];
    if (is_stranger(record)) continue;
    const auto guest = record.run_pool != pool_;
    if (guest) guests.push_back(job);
    const auto at = guest ? guest_priority(record) : record.run_priority;
    const auto upto = t.class_of(record).urgency_preemptible ? rows_upto(at) : row_count();
    const auto* need = t.amounts(record.shape);
    for (std::uint32_t r = 0; r < upto; ++r)
      for (std::uint32_t d = 0; d < dims; ++d) base[r * dims + d] -= need[d];
  }
  std::uint8_t over = 0;
  for (std::uint32_t d = 0; d < dims; ++d) over |= base[d] < 0 ? 1 : 0;
  overfull.push_back(over);
}

}  // namespace argosy::scheduling::engine
