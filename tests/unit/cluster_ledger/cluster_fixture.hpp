// SPDX-License-Identifier: Apache-2.0
// Drives a cluster_core as its actor does: events are applied at once and kept, and effects are
// collected.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "runtime/ledger/cluster/cluster_core.hpp"
#include "tests/support/effects_of.hpp"

namespace argosy::ledger {

inline model::run_key run_of(std::uint64_t number, std::uint32_t run = 1) {
  return {ulid_from_hash(1, 0, number), run};
}

inline model::node_info node_named(std::string name, std::int64_t cpu = 4000) {
  model::node_info node;
  node.name = model::node_name{std::move(name)};
  node.total = node.allocatable = {{"cpu", cpu}};
  return node;
}

inline model::start_run start_of(std::uint64_t number, std::int64_t cpu = 1000,
                                 model::queue_name queue = "q", model::node_name node = "n1") {
  model::start_run order;
  order.run = run_of(number);
  order.queue = std::move(queue);
  order.node = std::move(node);
  order.requests = {{"cpu", cpu}};
  return order;
}

inline model::stop_run stop_of(std::uint64_t number,
                               model::stop_cause cause = model::stop_cause::cancel) {
  model::stop_run order;
  order.run = run_of(number);
  order.cause = cause;
  order.reason = "because";
  return order;
}

class cluster_driver {
 public:
  explicit cluster_driver(cluster_config with = {}, const std::string& name = "c")
      : config(with), core(model::cluster_name{name}, with) {
    hello_message.cluster = {core.name(), "default", "process"};
    hello_message.nodes = {node_named("n1"), node_named("n2")};
    hello_message.said_ns = 44;
    take(core.lead({{3}}, now));
  }

  /// Makes another process lead, with what the log and the store hold.
  void next_leader(std::vector<desired_run> runs) {
    cluster_core next{core.name(), config};
    next.restore(core.info(), core.present());
    for (const auto& [name, node] : core.node_infos()) next.restore(node);
    for (auto& run : runs) next.restore(std::move(run));
    core = std::move(next);
    take(core.lead({{4}}, now));
  }

  void take(cluster_step step) { keep(std::move(step.events), std::move(step.effects)); }
  template <class Reply>
  result<Reply> take(cluster_answer<Reply> answer) {
    keep(std::move(answer.events), std::move(answer.effects));
    return std::move(answer.reply);
  }

  result<model::hello_ack> hello(std::vector<model::known_run> runs = {}) {
    hello_message.runs = std::move(runs);
    auto ack = take(core.hello(hello_message, 1, now));
    if (ack && !ack->begin_anew) hello_message.cluster.incarnation = ack->incarnation;
    return ack;
  }
  result<model::heartbeat_ack> heartbeat() {
    return take(core.heartbeat(
        {"c", hello_message.cluster.incarnation, hello_message.cluster.process}, now));
  }
  /// Sends reports with sequences from `first` on.
  result<std::uint64_t> report(std::uint64_t first,
                               std::vector<std::pair<std::uint64_t, model::run_phase>> list) {
    model::report_batch batch;
    batch.cluster = "c";
    batch.incarnation = hello_message.cluster.incarnation;
    batch.process = hello_message.cluster.process;
    for (const auto& [number, phase] : list) {
      model::run_report item;
      item.sequence = first++;
      item.run = run_of(number);
      item.queue = "q";
      item.phase = phase;
      batch.reports.push_back(std::move(item));
    }
    return take(core.reports(batch, now));
  }
  void start(std::vector<model::start_run> runs) { take(core.start(std::move(runs), now)); }
  void stop(std::vector<model::stop_run> runs) { take(core.stop(std::move(runs), now)); }
  void over(std::uint64_t number, run_verdict verdict = run_verdict::in_order) {
    take(core.run_over(run_of(number), verdict, 5, now));
  }
  void tick(boot_time later = {}) {
    now += later;
    take(core.tick(5, now));
  }

  /// The effects of this type that the last input had.
  template <class Effect>
  std::vector<Effect> effects() const {
    return tests::effects_of<Effect>(last_effects);
  }
  std::vector<model::run_key> started() const {
    std::vector<model::run_key> out;
    for (const auto& sent : effects<send_orders>())
      for (const auto& order : sent.orders.start) out.push_back(order.run);
    return out;
  }
  std::vector<model::run_key> stopped() const {
    std::vector<model::run_key> out;
    for (const auto& sent : effects<send_orders>())
      for (const auto& order : sent.orders.stop) out.push_back(order.run);
    return out;
  }
  std::vector<model::run_report> forwarded() const {
    std::vector<model::run_report> out;
    for (const auto& one : effects<forward_reports>())
      out.insert(out.end(), one.reports.begin(), one.reports.end());
    return out;
  }
  std::vector<std::uint64_t> acknowledged() const {
    std::vector<std::uint64_t> out;
    for (const auto& one : effects<acknowledge>()) out.push_back(one.ack.committed_sequence);
    return out;
  }
  bool knows(std::string_view name) const {
    for (const auto& e : last_events)
      if (model::name_of(e.payload) == name) return true;
    return false;
  }

  cluster_config config;
  cluster_core core;
  boot_time now = std::chrono::seconds{1000};
  model::agent_hello hello_message;
  std::vector<model::event> log;
  change_list changes;
  std::vector<model::event> last_events;
  std::vector<cluster_effect> last_effects;

 private:
  void keep(std::vector<model::event> events, std::vector<cluster_effect> effects) {
    for (const auto& e : events) {
      const auto fresh = core.apply(e);
      EXPECT_FALSE(fresh.empty()) << model::name_of(e.payload);
      changes.insert(changes.end(), fresh.begin(), fresh.end());
      log.push_back(e);
    }
    last_events = std::move(events);
    last_effects = std::move(effects);
  }
};

/// A cluster whose agent, with two nodes, has said hello.
class cluster_test : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(c.hello()); }
  static model::known_run has(std::uint64_t number,
                              model::run_phase phase = model::run_phase::running) {
    return {run_of(number), "q", phase, "n1"};
  }
  cluster_driver c;
};

}  // namespace argosy::ledger
