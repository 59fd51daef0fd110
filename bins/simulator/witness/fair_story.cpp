// SPDX-License-Identifier: Apache-2.0
#include "bins/simulator/witness/fair_story.hpp"

#include <type_traits>
#include <variant>

namespace argosy::witness {

namespace {

/// A job that waits for less may be on its way.
constexpr std::int64_t waits_ns = 60'000'000'000;
/// What a queue has to have more, since usage of the past counts as well.
constexpr double much_more = 2;
constexpr std::uint32_t passed_max = 30;

std::int64_t cpu_of(const model::job_header& header) {
  if (header.shape != nullptr)
    for (const auto& [name, amount] : header.shape->requests)
      if (name == "cpu") return amount;
  return 0;
}

}  // namespace

void fair_story::add(const model::event& event) {
  std::visit(
      [&](const auto& one) {
        using type = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<type, model::queue_set>) {
          auto& queue = queues_[one.settings.name];
          queue.factor = one.settings.priority_factor;
          queue.closed = one.settings.cordoned;
        } else if constexpr (std::is_same_v<type, model::job_submitted>) {
          submitted(*one.header, event.time_ns);
        } else if constexpr (std::is_same_v<type, model::job_leased>) {
          leased(one.run.job, event.time_ns);
        } else if constexpr (std::is_same_v<type, model::lease_returned> ||
                             std::is_same_v<type, model::lease_expired> ||
                             std::is_same_v<type, model::run_succeeded> ||
                             std::is_same_v<type, model::run_failed> ||
                             std::is_same_v<type, model::job_preempted>) {
          ended(one.run.job);
        } else if constexpr (std::is_same_v<type, model::job_cancelled> ||
                             std::is_same_v<type, model::job_rejected> ||
                             std::is_same_v<type, model::job_held>) {
          ended(one.job);
        }
      },
      event.payload);
}

void fair_story::submitted(const model::job_header& header, std::int64_t now_ns) {
  job_facts job;
  job.queue = header.queue;
  job.priority_class = header.shape == nullptr ? "" : header.shape->priority_class;
  job.cpu = cpu_of(header);
  job.since_ns = now_ns;
  job.stands_alone = header.gang == nullptr;
  if (job.stands_alone) queues_[header.queue].fresh.emplace(header.id, job.cpu);
  jobs_.insert_or_assign(header.id, std::move(job));
}

void fair_story::leased(const ulid& id, std::int64_t now_ns) {
  const auto at = jobs_.find(id);
  if (at == jobs_.end()) return;
  auto& job = at->second;
  auto& queue = queues_[job.queue];
  queue.fresh.erase(id);
  if (job.stands_alone) compare(job, queue, now_ns);
  if (!job.runs) queue.cpu += job.cpu;
  job.runs = true;
}

/// The job does not run any more, or is not looked at as one that waits.
void fair_story::ended(const ulid& id) {
  const auto at = jobs_.find(id);
  if (at == jobs_.end()) return;
  auto& queue = queues_[at->second.queue];
  queue.fresh.erase(id);
  if (at->second.runs) queue.cpu -= at->second.cpu;
  at->second.runs = false;
}

void fair_story::compare(const job_facts& started, const queue_facts& of, std::int64_t now_ns) {
  const auto has = static_cast<double>(of.cpu) * of.factor;
  for (auto& [name, queue] : queues_) {
    if (&queue == &of || queue.closed) continue;
    for (const auto& [id, cpu] : queue.fresh) {
      auto& waits = jobs_[id];
      // Those behind it have come later.
      if (now_ns - waits.since_ns < waits_ns) break;
      if (cpu > started.cpu || waits.priority_class != started.priority_class) continue;
      ++comparisons_;
      if (static_cast<double>(queue.cpu + cpu) * queue.factor * much_more >= has) break;
      if (++waits.passed == passed_max)
        findings_.push_back("job " + to_string(id) + " of queue " + name + " waits for " +
                            std::to_string((now_ns - waits.since_ns) / 1'000'000'000) + " s, and " +
                            std::to_string(passed_max) +
                            " jobs started in its place of queues that had more than their share");
      break;
    }
  }
}

}  // namespace argosy::witness
