// SPDX-License-Identifier: Apache-2.0
// A cluster_core that is told of runs which its cluster refuses or takes.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "runtime/model/agent_run.hpp"
#include "runtime/model/served_namespaces.hpp"
#include "tests/unit/cluster_ledger/cluster_fixture.hpp"

namespace argosy::ledger {

struct closed_cluster : ::testing::Test {
  closed_cluster() { static_cast<void>(q.hello()); }

  static model::start_run order(std::uint64_t number, const char* name_space = "jobs") {
    auto out = start_of(number);
    out.requests = {{"cpu", 1}};
    out.name_space = name_space;
    return out;
  }
  void start(std::uint64_t number, const char* name_space = "jobs") {
    q.start({order(number, name_space)});
  }
  void report(std::uint64_t number, model::run_phase phase, model::run_outcome outcome = {}) {
    model::run_report item;
    item.sequence = ++sequence;
    item.run = run_of(number);
    item.phase = phase;
    item.outcome = std::move(outcome);
    ASSERT_TRUE(q.take(q.core.reports(
        {"c", q.hello_message.cluster.incarnation, {item}, q.hello_message.cluster.process},
        q.now)));
  }
  void refuse(std::uint64_t number, const char* kind = "quota") {
    report(number, model::run_phase::refused,
           {std::nullopt, 0, model::reason_cluster_refused, "exceeded quota: q", kind});
  }
  /// The taint by which nodes tell of namespaces, as the NODEs heard it last; "-": nothing new.
  std::string told() const {
    const auto all = q.effects<set_nodes>();
    if (all.empty()) return "-";
    for (const auto& spot : all.back().nodes.at(0).taints)
      if (spot.key == model::namespaces_taint) return spot.value;
    return "";
  }

  cluster_driver q;
  std::uint64_t sequence = 0;
};

}  // namespace argosy::ledger
