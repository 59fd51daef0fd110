// SPDX-License-Identifier: Apache-2.0
// Operations: changes of very many jobs, of which the log says how far they are, so that the next
// leader goes on with those that a process has left half done.
#include <algorithm>
#include <utility>

#include "runtime/ledger/queue/queue_core.hpp"
#include "runtime/ledger/queue/queue_operations.hpp"

namespace argosy::ledger {

namespace {

constexpr std::uint32_t bit_of(model::job_state state) noexcept {
  return std::uint32_t{1} << static_cast<std::uint32_t>(state);
}

/// Whether the change has still to be made to the job. Jobs and runs that came after it began are
/// left alone.
bool is_left(const model::operation& of, const model::job_record& job) {
  using enum model::operation_kind;
  if (job.header->submitted_ns > of.begun_ns) return false;
  const auto* run = job.live_run();
  switch (of.kind) {
    case drain:
      return false;
    case cancel:
      return job.stopping != model::stop_cause::cancel &&
             (of.cluster.empty() || (run != nullptr && run->leased_ns <= of.begun_ns));
    case preempt:
      return run != nullptr && run->leased_ns <= of.begun_ns &&
             job.stopping == model::stop_cause::none;
    case reprioritize:
      return job.priority != of.jobs.priority;
    case hold:
      return run == nullptr && !is_held(job.hold);
    case release:
      return is_held(job.hold);
  }
  return false;
}

}  // namespace

job_selection selection_of(const model::operation& of) {
  job_selection out;
  out.job_set = of.job_set;
  out.whole = true;
  out.queued = (of.jobs.states & bit_of(model::job_state::queued)) != 0;
  out.leased = (of.jobs.states & bit_of(model::job_state::leased)) != 0;
  out.pending = (of.jobs.states & bit_of(model::job_state::pending)) != 0;
  out.running = (of.jobs.states & bit_of(model::job_state::running)) != 0;
  out.classes = of.jobs.classes;
  out.pools = of.jobs.pools;
  out.cluster = of.cluster;
  out.node = of.node;
  out.with_gangs = of.jobs.with_gangs;
  return out;
}

void describe(const job_selection& which, model::operation& out) {
  out.job_set = which.job_set;
  out.cluster = which.cluster;
  out.node = which.node;
  out.jobs.states = (which.queued ? bit_of(model::job_state::queued) : 0) |
                    (which.leased ? bit_of(model::job_state::leased) : 0) |
                    (which.pending ? bit_of(model::job_state::pending) : 0) |
                    (which.running ? bit_of(model::job_state::running) : 0);
  out.jobs.classes = which.classes;
  out.jobs.pools = which.pools;
  out.jobs.with_gangs = which.with_gangs;
}

bool queue_core::apply_operation(const model::event& e, change_list& changes) {
  const auto* changed = std::get_if<model::operation_changed>(&e.payload);
  if (changed == nullptr || changed->now.queue != name_) return false;
  if (changed->now.is_running())
    operations_[changed->now.id] = changed->now;
  else
    operations_.erase(changed->now.id);
  changes.emplace_back(put_operation{changed->now});
  return true;
}

std::vector<ulid> queue_core::jobs_left(const model::operation& of) const {
  auto ids = select(selection_of(of));
  if (!ids) return {};
  std::erase_if(*ids, [&](const ulid& id) { return !is_left(of, *find(id)); });
  return std::move(*ids);
}

}  // namespace argosy::ledger
