// SPDX-License-Identifier: Apache-2.0
// A fold of jobs in a namespace that the cluster "c" has closed, and rounds that follow.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "messages/rounds/delta_fold.hpp"
#include "runtime/model/served_namespaces.hpp"
#include "runtime/scheduling/round.hpp"

namespace argosy::rounds {

struct closed_namespace : ::testing::Test {
  using ids = std::vector<std::uint64_t>;

  closed_namespace() { nodes("c", {{}, {"jobs"}, {}}); }

  /// The cluster has two nodes of 100 cores that say this of namespaces.
  void nodes(const model::cluster_name& cluster, const model::namespace_limits& limits) {
    for (const auto* name : {"n1", "n2"}) {
      native::node_delta node;
      node.cluster = cluster;
      node.pool = "default";
      node.info.name = model::node_name{name};
      node.info.allocatable = {{"cpu", 100'000}};
      if (const auto value = model::to_taint_value(limits); !value.empty())
        node.info.taints = {{std::string{model::namespaces_taint}, value, "NoSchedule"}};
      EXPECT_THAT(fold.fold(node), ::testing::IsEmpty());
    }
  }
  void may_try(std::uint32_t jobs = 1, const model::cluster_name& cluster = "c",
               bool preempts = false) {
    nodes(cluster, {{}, {}, {{cluster, "jobs", jobs, preempts}}});
  }
  /// Another queue has these nodes of the cluster.
  void fill(const model::cluster_name& cluster = "c",
            std::vector<const char*> names = {"n1", "n2"}) {
    native::queue_delta delta;
    delta.queue = delta.settings.name = "r";
    delta.exists = true;
    ledger::job_changes changes;
    for (const auto* node : names) {
      auto row = job(9000, 100'000, "others");
      jobs.erase(9000);
      fresh.erase(9000);
      auto header = *row.header;
      header.id = ulid_from_hash(2, 0, ++fillers);
      header.queue = "r";
      row.header = std::make_shared<const model::job_header>(std::move(header));
      model::run_record run;
      run.cluster = cluster;
      run.node = model::node_name{node};
      run.pool = model::pool_name{"default"};
      run.scheduled_at_priority = 20000;
      row.run = std::make_shared<const model::run_record>(run);
      changes.set.push_back(std::move(row));
    }
    delta.jobs = std::make_shared<const ledger::job_changes>(std::move(changes));
    EXPECT_THAT(fold.fold(delta), ::testing::IsEmpty());
  }
  static ulid id(std::uint64_t number) { return ulid_from_hash(1, 0, number); }

  ledger::job_upsert& job(std::uint64_t number, std::int64_t milli_cpu = 1000,
                          const char* name_space = "jobs") {
    auto& shape = shapes[milli_cpu];
    if (shape == nullptr) {
      auto fresh = std::make_shared<model::job_shape>();
      fresh->requests = {{"cpu", milli_cpu}};
      fresh->priority_class = "armada-preemptible";
      shape = std::move(fresh);
    }
    auto header = std::make_shared<model::job_header>();
    header->id = id(number);
    header->queue = "q";
    header->name_space = name_space;
    header->shape = shape;
    header->submitted_ns = static_cast<std::int64_t>(number);
    jobs[number] = {};
    jobs[number].header = std::move(header);
    fresh.insert(number);
    return jobs[number];
  }
  void gang(const ids& members, std::int64_t milli_cpu = 1000) {
    for (const auto number : members) {
      auto info = std::make_shared<model::gang_info>();
      info->id = "gang of " + std::to_string(members.front());
      info->cardinality = info->minimum_cardinality = static_cast<std::uint32_t>(members.size());
      job(number, milli_cpu).gang = std::move(info);
    }
  }
  void place(std::uint64_t number, const model::cluster_name& cluster,
             const model::node_name& node) {
    model::run_record run;
    run.cluster = cluster;
    run.node = node;
    run.pool = model::pool_name{"default"};
    run.scheduled_at_priority = 20000;
    jobs.at(number).run = std::make_shared<const model::run_record>(run);
    fresh.insert(number);
  }
  /// Its run is over, and it waits again.
  void comes_back(std::uint64_t number) {
    jobs.at(number).run = nullptr;
    fresh.insert(number);
  }
  void cancel(std::uint64_t number) {
    jobs.erase(number);
    gone.push_back(id(number));
  }

  /// Folds what has changed, and lets a round decide, whose leases stand.
  ids round() {
    native::queue_delta delta;
    delta.queue = "q";
    delta.exists = true;
    delta.settings.name = "q";
    ledger::job_changes changes;
    for (const auto number : std::exchange(fresh, {}))
      if (const auto at = jobs.find(number); at != jobs.end()) changes.set.push_back(at->second);
    changes.removed = std::exchange(gone, {});
    delta.jobs = std::make_shared<const ledger::job_changes>(std::move(changes));
    EXPECT_THAT(fold.fold(delta), ::testing::IsEmpty());
    return repeat();
  }
  /// The same without a change.
  ids repeat() {
    fold.settle();
    if (fold.let_try()) fold.settle();
    scheduling::round_params params;
    params.pool = "default";
    const auto plan = scheduling::schedule(fold.snapshot(), *config, params);
    EXPECT_EQ(plan.error + plan.violation, "");
    again = fold.decided("default");
    preempted = plan.preemptions.size();
    ids out;
    for (const auto& lease : plan.leases)
      for (const auto& [number, item] : jobs)
        if (item.header->id == lease.job) {
          out.push_back(number);
          const std::string node{fold.snapshot().node_id(lease.node)};
          place(number, model::cluster_name{node.substr(0, node.find('/'))},
                model::node_name{node.substr(node.find('/') + 1)});
        }
    std::ranges::sort(out);
    return out;
  }

  std::shared_ptr<const scheduling::config> config =
      std::make_shared<const scheduling::config>(scheduling::default_config());
  delta_fold fold{config};
  std::map<std::int64_t, std::shared_ptr<const model::job_shape>> shapes;
  std::map<std::uint64_t, ledger::job_upsert> jobs;
  std::set<std::uint64_t> fresh;
  std::vector<ulid> gone;
  std::uint64_t fillers = 0;
  std::size_t preempted = 0;  ///< So many the last round preempted.
  bool again = false;         ///< Whether another round is wanted though nothing changes.
};

}  // namespace argosy::rounds
