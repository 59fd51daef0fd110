// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/steps/plan_writer.hpp"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/scheduling/engine/mixing.hpp"

namespace argosy::scheduling::engine {

namespace {

/// How many records ahead of their use memory is asked for.
constexpr std::size_t ahead = 16;

std::uint64_t hash_decision(const ulid& job, std::uint64_t salt, std::uint64_t node) {
  std::uint64_t hash = node ^ (salt * 0x9e3779b97f4a7c15u);
  std::uint64_t half[2];
  std::memcpy(half, job.bytes.data(), sizeof half);
  for (const auto part : half) {
    hash = (hash ^ part) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return hash * 0x9e3779b97f4a7c15u;
}

}  // namespace

plan_writer::plan_writer(const world& w, const books& sums)
    : world_(w), t_(w.nodes.t), books_(sums), node_hashes_(t_.nodes.size()) {}

plan plan_writer::write(decisions& made) {
  plan_.resources = t_.dim_names;
  plan_.pool_total = books_.total;
  plan_.rescheduled = made.returned();
  write_queues();
  write_leases(made);
  write_preemptions(made);
  plan_.refusals = made.refusals();
  return std::move(plan_);
}

void plan_writer::report_rest(contest& streams, const heads& admission, decisions& noted) {
  noted.refuse(admission.refusals());
  for (const auto& [key, jobs] : streams.skipped()) {
    skip_count skip;
    skip.queue = static_cast<std::uint32_t>(key >> 32);
    skip.shape = static_cast<std::uint32_t>(key);
    skip.jobs = jobs;
    plan_.skips.push_back(skip);
  }
  for (std::uint32_t q = 0; q < books_.queues.size(); ++q) {
    const auto unseen = streams.unseen(q);
    if (unseen == 0) continue;
    skip_count skip;
    skip.queue = books_.queues[q].slot;
    skip.code = streams.why_unseen(q);
    skip.jobs = unseen;
    plan_.skips.push_back(skip);
  }
  std::sort(plan_.skips.begin(), plan_.skips.end(), [](const auto& a, const auto& b) {
    return std::pair(a.queue, a.shape) < std::pair(b.queue, b.shape);
  });
  std::vector<offer> waiting;
  streams.incomplete(waiting);
  std::sort(waiting.begin(), waiting.end(),
            [](const auto& a, const auto& b) { return a.job < b.job; });
  for (const auto& o : waiting) noted.refuse(o.job, streams.why_waiting(books_.of(o.job), o));
}

void plan_writer::write_leases(decisions& made) {
  const auto& placed = made.placed();
  plan_.leases.reserve(placed.size());
  for (std::size_t i = 0; i < placed.size(); ++i) {
    if (i + ahead < placed.size()) {
      world_.bound.prefetch(placed[i + ahead].job);
      __builtin_prefetch(&t_.jobs[placed[i + ahead].job]);
    }
    const auto& p = placed[i];
    if (!world_.bound.is_bound(p.job)) {
      refuse_displaced(made, p.job);
      continue;
    }
    const auto& record = t_.jobs[p.job];
    const auto slot = world_.nodes.slot(world_.bound.node_of(p.job));
    const auto priority = world_.bound.priority(p.job);
    plan_.leases.push_back({record.id, p.job, slot, priority, p.away});
    ++plan_.queues[books_.of(p.job)].leased;
    plan_.digest +=
        hash_decision(record.id, static_cast<std::uint64_t>(priority) + 1, hash_of_node(slot));
  }
  // A gang that was placed and pushed out again waits as a whole.
  for (const auto job : made.left_out()) {
    const auto& members = t_.gangs[t_.jobs[job].gang].members;
    if (std::any_of(members.begin(), members.end(), [&](std::uint32_t member) {
          return !t_.jobs[member].running && world_.bound.is_bound(member);
        }))
      plan_.failed.push_back(t_.jobs[job].id);
    else
      refuse_displaced(made, job);
  }
}

void plan_writer::refuse_displaced(decisions& made, std::uint32_t job) {
  const auto alone = t_.jobs[job].gang == none;
  made.refuse(job, alone ? reason::job_does_not_fit : reason::gang_does_not_fit);
}

void plan_writer::write_preemptions(const decisions& made) {
  const auto& gone = made.evicted();
  zeros<std::uint8_t> told(t_.jobs.size());
  for (std::size_t i = 0; i < gone.size(); ++i) {
    if (i + ahead < gone.size()) {
      world_.bound.prefetch(gone[i + ahead].job);
      __builtin_prefetch(&t_.jobs[gone[i + ahead].job]);
    }
    const auto& e = gone[i];
    const auto& record = t_.jobs[e.job];
    if (!record.running || world_.bound.is_bound(e.job)) continue;
    if (std::exchange(told[e.job], 1) != 0) continue;  // It was evicted twice.
    preemption lost{record.id, e.job, record.node, preemption_cause::not_returned, {}, none};
    if (const auto* why = made.cause_of(e.job); why != nullptr) {
      lost.cause = why->cause;
      lost.preemptor_index = why->preemptor;
      if (why->preemptor != none) lost.preemptor = t_.jobs[why->preemptor].id;
    }
    plan_.preemptions.push_back(lost);
    ++plan_.queues[books_.of(e.job)].preempted;
    plan_.digest += hash_decision(record.id, 0, hash_of_node(record.node));
  }
  if (!world_.nodes.guests().empty()) write_mates_elsewhere();
}

void plan_writer::write_mates_elsewhere() {
  absl::flat_hash_set<std::uint32_t> told;
  for (const auto& lost : plan_.preemptions) told.insert(lost.job_index);
  for (std::size_t i = 0, count = plan_.preemptions.size(); i < count; ++i) {
    const auto lost = plan_.preemptions[i];
    const auto gang = t_.jobs[lost.job_index].gang;
    if (gang == none) continue;
    auto& figures = plan_.queues[books_.of(lost.job_index)];
    for (const auto mate : t_.gangs[gang].members) {
      const auto& record = t_.jobs[mate];
      if (!record.running || world_.bound.is_bound(mate) || !told.insert(mate).second) continue;
      plan_.preemptions.push_back({record.id, mate, record.node, preemption_cause::gang_mate,
                                   lost.preemptor, lost.preemptor_index});
      ++figures.preempted;
      plan_.digest += hash_decision(record.id, 0, hash_of_node(record.node));
    }
  }
}

std::uint64_t plan_writer::hash_of_node(std::uint32_t slot) {
  if (node_hashes_[slot] == 0) node_hashes_[slot] = hash_text(t_.nodes[slot].id);
  return node_hashes_[slot];
}

void plan_writer::write_queues() {
  plan_.queues.reserve(books_.queues.size());
  for (const auto& book : books_.queues) {
    auto& out = plan_.queues.emplace_back();
    out.name = books_.name_of(book);
    out.guests = book.away;
    out.weight = book.weight;
    out.fair_share = book.fair;
    out.capped_share = book.capped;
    out.uncapped_share = book.uncapped;
    out.tokens_used = book.tokens_used;
    out.resources_taken = book.resources_taken;
    out.demand_share = book.demand;
    out.used_before = book.used_before;
    out.used_after = book.used;
    out.demand = book.wanted;
    out.cost_before = books_.cost(book.used_before.data());
    out.cost_after = books_.cost(book.used.data());
    if (!book.away) out.usage_cores = books_.cores(book.used.data());
  }
}

}  // namespace argosy::scheduling::engine
