// SPDX-License-Identifier: Apache-2.0
// Drives a queue_core as its actor does: it decides, applies, and keeps what happened. Every
// decided event must be legal, and everything applied is kept for replay. The GANGs are played too:
// each hears of what changed in it and reports at once, unless a test holds the reports back.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/ledger/queue/queue_core.hpp"
#include "tests/support/effects_of.hpp"

namespace argosy::ledger {

inline ulid job_id(std::uint64_t number) {
  return ulid_from_hash(1'000'000 + number, 0, number);
}

/// A header that tests change before they submit it.
inline model::job_header job_named(std::uint64_t number, std::string job_set = "set-1") {
  auto shape = std::make_shared<model::job_shape>();
  shape->requests = {{"cpu", 1000}, {"memory", 1 << 20}};
  shape->priority_class = "armada-default";
  model::job_header header;
  header.id = job_id(number);
  header.queue = "q";
  header.job_set = std::move(job_set);
  header.owner = "alice";
  header.priority = 10;
  header.shape = std::move(shape);
  header.spec = std::make_shared<const std::string>("spec");
  return header;
}

inline std::shared_ptr<const model::gang_info> gang_of(std::string id, std::uint32_t cardinality,
                                                       std::uint32_t minimum = 0) {
  model::gang_info info;
  info.id = std::move(id);
  info.cardinality = cardinality;
  info.minimum_cardinality = minimum == 0 ? cardinality : minimum;
  return std::make_shared<const model::gang_info>(std::move(info));
}

class queue_driver {
 public:
  explicit queue_driver(queue_config with = {}) : config(with), core("q", with) {
    model::queue_settings settings;
    settings.name = "q";
    EXPECT_TRUE(run(core.set(settings, write_mode::create, ++now)));
  }

  /// Applies what was decided and returns the reply.
  template <class Reply>
  result<Reply> run(decision<Reply> decided) {
    const auto illegal = core.illegal_events();
    for (const auto& e : decided.events) {
      const auto fresh = core.apply(e);
      changes.insert(changes.end(), fresh.begin(), fresh.end());
      log.push_back(e);
    }
    EXPECT_EQ(core.illegal_events(), illegal);
    for (const auto& effect : decided.effects)
      if (const auto* what = std::get_if<gang_changed>(&effect)) tell(*what);
    last_effects = std::move(decided.effects);
    last_events = std::move(decided.events);
    return std::move(decided.reply);
  }

  /// Does what the GANG does when a decision changed its gang.
  void tell(const gang_changed& what) {
    auto& gang = gangs.try_emplace(what.gang->id, what.gang).first->second;
    gang.change(what);
    auto report = gang.take_report();
    if (what.last) gangs.erase(what.gang->id);
    if (!report) return;
    if (hold_reports)
      held_reports.push_back(std::move(*report));
    else
      core.gang_reported(*report);
  }

  result<submit_reply> submit(std::vector<model::job_header> jobs) {
    std::vector<std::shared_ptr<const model::job_header>> shared;
    for (auto& job : jobs)
      shared.push_back(std::make_shared<const model::job_header>(std::move(job)));
    return run(core.submit(shared, ++now));
  }

  result<place_reply> lease(const std::vector<std::uint64_t>& jobs, std::string cluster = "c") {
    place_request plan;
    plan.round = 7;
    for (const auto number : jobs)
      plan.leases.push_back({job_id(number), model::cluster_name{cluster}, model::node_name{"n1"},
                             model::pool_name{"default"}, 30000});
    return run(core.place(plan, ++now));
  }

  result<report_reply> report(std::uint64_t job, model::run_phase phase,
                              std::uint32_t run_number = 1, model::run_outcome outcome = {},
                              const std::string& cluster = "c") {
    model::run_report report;
    report.run = {job_id(job), run_number};
    report.queue = "q";
    report.phase = phase;
    report.outcome = std::move(outcome);
    return run(core.report(model::cluster_name{cluster}, {report}, ++now));
  }

  result<selection_reply> cancel(const std::vector<std::uint64_t>& jobs) {
    job_selection which;
    for (const auto number : jobs) which.ids.push_back(job_id(number));
    return run(core.cancel(which, "bob", "enough", ++now));
  }

  /// The name of the job's state, such as "QUEUED"; "GONE" when the job is not live.
  std::string state(std::uint64_t job) const {
    const auto* record = core.find(job_id(job));
    return record == nullptr ? "GONE" : std::string{model::to_string(record->state)};
  }

  /// The job's events in order, without those of the queue.
  std::vector<std::string> story(std::uint64_t job) const {
    std::vector<std::string> out;
    for (const auto& e : log)
      if (model::job_of(e) == job_id(job)) out.emplace_back(model::name_of(e.payload));
    return out;
  }

  /// The last stored record of the job.
  const model::job_record& stored(std::uint64_t job) const {
    for (auto at = changes.rbegin(); at != changes.rend(); ++at)
      if (const auto* put = std::get_if<put_job>(&*at);
          put && put->record.header->id == job_id(job))
        return put->record;
    ADD_FAILURE() << "job " << job << " was never stored";
    return std::get<put_job>(changes.front()).record;
  }

  template <class Effect>
  std::vector<Effect> effects() const {
    return tests::effects_of<Effect>(last_effects);
  }

  queue_config config;
  queue_core core;
  std::int64_t now = 1'000;
  std::vector<model::event> log;
  change_list changes;
  std::vector<model::event> last_events;
  std::vector<queue_effect> last_effects;
  std::map<std::string, gang_core> gangs;
  bool hold_reports = false;
  std::vector<gang_report> held_reports;
};

using words = std::vector<std::string>;

}  // namespace argosy::ledger
