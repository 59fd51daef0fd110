// SPDX-License-Identifier: Apache-2.0
#include "actors/state/cluster_queues.hpp"

#include <vector>

#include "actors/caf_error.hpp"

namespace argosy::actors {

template <class... Message>
void cluster_queues::tell(const model::queue_name& queue, const char* failure,
                          const continuation& done, Message... message) {
  queues_.find_queue(
      self_, queue,
      [this, failure, done, message...](const queue_actor& found) {
        send(found, failure, done, message...);
      },
      [done](const error& why) {
        done(why.code == ec::not_found ? told::no_queue : told::failed);
      });
}

template <class... Message>
void cluster_queues::send(const queue_actor& queue, const char* failure, const continuation& done,
                          const Message&... message) {
  self_->request(queue, request_timeout_, message...)
      .then([done](atom::ok) { done(told::taken); },
            [this, failure, done](const caf::error& err) {
              logger_.warning(failure, logging::kv("cluster", core_->name()),
                              logging::kv("error", to_string(from_caf(err))));
              done(told::failed);
            });
}

void cluster_queues::act(const ledger::forward_reports& effect) {
  auto part = std::make_shared<native::report_part>();
  part->cluster = core_->name();
  part->reports = effect.reports;
  std::vector<std::uint64_t> sequences;
  for (const auto& one : effect.reports)
    if (one.sequence > 0) sequences.push_back(one.sequence);
  const auto done = [this, incarnation = effect.incarnation, sequences](told outcome) {
    // Without its queue nobody waits for the report any more.
    if (outcome == told::failed)
      core_->not_committed(incarnation, sequences);
    else
      take_(core_->committed(incarnation, sequences));
  };
  tell(effect.queue, "reports were not committed", done, atom::report_v,
       native::report_part_ptr{std::move(part)}, caf::actor_cast<cluster_actor>(self_));
}

void cluster_queues::act(const ledger::expire_leases& effect) {
  const auto done = [this, runs = effect.runs](told outcome) {
    if (outcome == told::failed)
      core_->not_expired(runs);
    else
      core_->expired(runs);
  };
  tell(effect.queue, "lapsed leases were not recorded yet", done, atom::expired_v, effect.runs,
       effect.abandoned);
}

void cluster_queues::act(const ledger::preempt_runs& effect) {
  // Without a class in the selection all classes would be meant.
  if (!effect.all && preemptible_classes_.empty()) return;
  native::cancel_request wanted;
  wanted.how = native::ending::drain;
  wanted.requestor = effect.requestor;
  wanted.reason = effect.reason;
  for (const auto& run : effect.runs) wanted.jobs.ids.push_back(run.job);
  wanted.jobs.queued = false;
  wanted.jobs.cluster = core_->name();
  wanted.jobs.node = effect.node;
  if (!effect.all) wanted.jobs.classes = preemptible_classes_;
  const auto failed = [this, runs = effect.runs](const error& why) {
    if (why.code == ec::not_found) return;
    logger_.warning("runs were not preempted yet", logging::kv("cluster", core_->name()),
                    logging::kv("error", to_string(why)));
    core_->not_preempted(runs);
  };
  queues_.find_queue(
      self_, effect.queue,
      [this, wanted, failed](const queue_actor& found) {
        self_->request(found, request_timeout_, atom::cancel_v, wanted)
            .then([](const ledger::selection_reply&) {},
                  [failed](const caf::error& err) { failed(from_caf(err)); });
      },
      failed);
}

}  // namespace argosy::actors
