// SPDX-License-Identifier: Apache-2.0
// An executor core with a session, and a disk that keeps what its steps write.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/ledger/agent/executor_core.hpp"

namespace argosy::ledger {

using namespace std::chrono_literals;
using model::run_key;
using model::run_phase;

inline run_key make_key(std::uint8_t job, std::uint32_t number = 1) {
  run_key out;
  out.job.bytes[15] = job;
  out.number = number;
  return out;
}

inline model::start_run make_start(run_key run) {
  model::start_run out;
  out.run = run;
  out.queue = "q";
  out.node = "n";
  out.grace_seconds = 7;
  return out;
}

inline model::stop_run make_stop(run_key run) {
  model::stop_run out;
  out.run = run;
  out.cause = model::stop_cause::cancel;
  out.reason = "because";
  return out;
}

inline model::run_event make_event(run_key run, run_phase phase, std::int32_t exit_code = 0) {
  model::run_event out;
  out.run = run;
  out.phase = phase;
  out.outcome.exit_code = exit_code;
  if (is_final(phase)) out.outcome.reason = "Word";
  out.time_ns = 5;
  return out;
}

struct executor_fixture : ::testing::Test {
  executor_fixture() { restart(); }

  /// Makes a new core from what is on the disk.
  void restart() {
    core = std::make_unique<executor_core>(model::cluster_info{"c", "default", "process", {}},
                                           nodes, config);
    disk_facts.incarnation = {77};
    core->restore(disk_facts);
    for (const auto& [sequence, report] : disk_reports) core->restore(report);
    for (const auto& [run, record] : disk_runs) core->restore(record, now);
    sent.clear();
  }

  /// Writes a step and keeps its actions.
  void take(const executor_step& step) {
    for (const auto& write : step.writes)
      std::visit([this](const auto& each) { put(each); }, write);
    for (const auto& action : step.actions) {
      if (const auto* reports = std::get_if<send_reports>(&action)) last_reports = reports->number;
      sent.push_back(action);
    }
  }

  void put(const put_facts& write) { disk_facts = write.facts; }
  void put(const put_agent_run& write) { disk_runs[write.run.run] = write.run; }
  void put(const erase_agent_run& write) { disk_runs.erase(write.run); }
  void put(const put_outbox_report& write) { disk_reports[write.report.sequence] = write.report; }
  void put(const erase_outbox_reports& write) {
    disk_reports.erase(disk_reports.begin(), disk_reports.upper_bound(write.up_to));
  }

  /// Returns the actions of one kind since the last call, and forgets all of them.
  template <class Action>
  std::vector<Action> take_sent() {
    std::vector<Action> out;
    for (const auto& action : sent)
      if (const auto* found = std::get_if<Action>(&action)) out.push_back(*found);
    sent.clear();
    return out;
  }

  void connect(std::uint64_t epoch = 1) {
    take(core->tick(now));
    ASSERT_EQ(take_sent<send_hello>().size(), 1u);
    take(core->hello_acknowledged({{epoch}, boot_time{10s}.count(), boot_time{2s}.count()}, now));
  }

  /// Makes orders for this agent.
  [[nodiscard]] model::agent_orders to_me(std::uint64_t epoch, std::vector<model::start_run> start,
                                          std::vector<model::stop_run> stop = {},
                                          std::int64_t hello_ns = 0) const {
    return {{epoch}, std::move(start), std::move(stop), hello_ns, core->incarnation()};
  }
  void order_start(run_key run, std::uint64_t epoch = 1) {
    const auto step = core->orders(to_me(epoch, {make_start(run)}), 1, now);
    ASSERT_TRUE(step);
    take(*step);
  }
  void order_stop(run_key run, std::uint64_t epoch = 1) {
    const auto step = core->orders(to_me(epoch, {}, {make_stop(run)}), 1, now);
    ASSERT_TRUE(step);
    take(*step);
  }
  void change(run_key run, run_phase phase, std::int32_t exit_code = 0) {
    take(core->changed({make_event(run, phase, exit_code)}, now));
  }
  /// The last message with reports is answered.
  void acknowledge(std::uint64_t sequence) {
    take(core->reports_acknowledged(last_reports, {sequence}, now));
  }

  executor_config config;
  std::vector<model::node_info> nodes{{"n", {}, {}, {}, {}, false}};
  std::unique_ptr<executor_core> core;
  boot_time now{1000s};
  std::vector<executor_effect> sent;
  std::uint64_t last_reports = 0;  ///< The number of the last message with reports.
  executor_facts disk_facts;
  std::map<run_key, model::agent_run> disk_runs;
  std::map<std::uint64_t, model::run_report> disk_reports;
};

}  // namespace argosy::ledger
