// SPDX-License-Identifier: Apache-2.0
// An armada_core between a cluster_core and a scripted executor. Orders and answers take no time;
// what is forwarded to QUEUEs is committed at once, unless a test holds it back.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "runtime/ledger/armada/armada_core.hpp"
#include "runtime/ledger/cluster/cluster_core.hpp"
#include "tests/support/effects_of.hpp"

namespace argosy::ledger {

using namespace std::chrono_literals;

inline model::run_key armada_run_of(std::uint64_t number, std::uint32_t run = 1) {
  return {ulid_from_hash(1, 0, number), run};
}
inline std::string armada_id(std::uint64_t number, std::uint32_t run = 1) {
  return to_string(armada_run_of(number, run));
}

class armada_driver {
 public:
  armada_driver() : cluster("far", rules), core(config()) {
    node.name = "n1";
    node.total = node.allocatable = {{"cpu", 4'000}};
    take(cluster.lead({{3}}, now));
  }

  static armada_config config() {
    armada_config out;
    out.cluster = "far";
    out.name_of = [](const model::run_key& key) { return to_string(key); };
    out.runs_of = [](const std::string& id) {
      std::vector<model::run_key> all;
      const auto dash = id.rfind('-');
      const auto job = parse_ulid(id.substr(0, dash));
      if (dash == std::string::npos || !job) return all;
      for (std::uint32_t number = 1; number <= 3; ++number) all.push_back({*job, number});
      // The id does not tell the number, as those of the API do not.
      if (id.substr(dash + 1) != "1") all.clear();
      return all;
    };
    return out;
  }

  /// One request of the executor, which names `listed`.
  result<armada_answer> ask(std::vector<armada_run> listed = {}, std::uint32_t leases_max = 100) {
    reply.reset();
    armada_request request;
    request.cluster = "far";
    request.pool = "default";
    request.nodes = {node};
    request.runs = std::move(listed);
    request.leases_max = leases_max;
    now += 5s;
    carry_out(core.request(++requests, std::move(request), now, now.count()));
    tick();
    EXPECT_TRUE(reply) << "the request was not answered";
    return reply ? *reply : fail(ec::internal, "no answer");
  }
  static armada_run pending(std::uint64_t number) { return {armada_id(number), "n1", false}; }
  static armada_run running(std::uint64_t number) { return {armada_id(number), "n1", true}; }

  /// The executor reports; whether it was answered, or how it was refused.
  ec tell(std::uint64_t number, std::optional<model::run_phase> phase, model::pod_facts pod = {},
          model::run_outcome outcome = {}) {
    armada_event event;
    event.run = armada_run_of(number);
    event.phase = phase;
    event.pod = std::move(pod);
    event.outcome = std::move(outcome);
    return tell(event);
  }
  ec tell(const armada_event& event) {
    told.reset();
    auto taken = core.events({event});
    const auto ticket = taken.ticket;
    carry_out(std::move(taken.then));
    if (!ticket) return ticket.error().code;
    if (*ticket == 0) return ec::none;
    if (!told) return ec::timeout;
    return *told ? ec::none : told->error().code;
  }

  void start(std::uint64_t number) {
    model::start_run order;
    order.run = armada_run_of(number);
    order.queue = "q";
    order.node = "n1";
    order.requests = {{"cpu", 1'000}};
    take(cluster.start({order}, now));
  }
  void stop(std::uint64_t number, model::stop_cause cause = model::stop_cause::cancel) {
    take(cluster.stop({{armada_run_of(number), cause, "because", {}}}, now));
  }
  void pass(boot_time time) {
    for (boot_time done{}; done < time; done += 1s) {
      now += 1s;
      tick();
    }
  }
  /// argosyd was started anew: it has the cluster and the runs from its log.
  void restart(const std::vector<desired_run>& runs) {
    cluster_core next{"far", rules};
    next.restore(cluster.info(), cluster.present());
    for (const auto& [name, each] : cluster.node_infos()) next.restore(each);
    for (const auto& run : runs) next.restore(run);
    cluster = std::move(next);
    core = armada_core{config()};
    take(cluster.lead({{4}}, now));
  }
  static desired_run desired(std::uint64_t number, bool reported) {
    desired_run out;
    out.start.run = armada_run_of(number);
    out.start.queue = "q";
    out.start.node = "n1";
    out.start.requests = {{"cpu", 1'000}};
    out.reported = reported;
    return out;
  }

  void take(cluster_step step) { keep(std::move(step.events), std::move(step.effects)); }
  template <class Reply>
  result<Reply> take(cluster_answer<Reply> answer) {
    keep(std::move(answer.events), std::move(answer.effects));
    return std::move(answer.reply);
  }
  void tick() { take(cluster.tick(1, now)); }

  static std::vector<std::string> ids(const armada_answer& answer) {
    std::vector<std::string> out;
    for (const auto& lease : answer.leases) out.push_back(to_string(lease.run));
    return out;
  }
  /// The phases that the QUEUE was told of the run.
  std::vector<model::run_phase> phases(std::uint64_t number) const {
    std::vector<model::run_phase> out;
    for (const auto& each : reports)
      if (each.run.job == armada_run_of(number).job) out.push_back(each.phase);
    return out;
  }

  cluster_config rules;
  boot_time now{1'000s};
  model::node_info node;
  cluster_core cluster;
  armada_core core;
  std::uint64_t requests = 0;
  std::optional<result<armada_answer>> reply;
  std::optional<result<void>> told;
  std::vector<model::run_report> reports;  ///< What QUEUEs were told.
  std::vector<model::run_key> expired;     ///< The runs whose leases lapsed.
  bool queues_answer = true;

 private:
  void keep(std::vector<model::event> events, std::vector<cluster_effect> effects) {
    for (const auto& event : events) static_cast<void>(cluster.apply(event));
    for (const auto& sent : tests::effects_of<send_orders>(effects))
      carry_out(core.orders(sent.orders));
    for (const auto& lapsed : tests::effects_of<expire_leases>(effects))
      expired.insert(expired.end(), lapsed.runs.begin(), lapsed.runs.end());
    for (const auto& done : tests::effects_of<acknowledge>(effects)) acknowledged(done.ack);
    for (const auto& sent : tests::effects_of<forward_reports>(effects)) commit(sent);
  }
  void commit(const forward_reports& sent) {
    std::vector<std::uint64_t> sequences;
    for (const auto& each : sent.reports) sequences.push_back(each.sequence);
    if (!queues_answer) {
      cluster.not_committed(sent.incarnation, sequences);
      return;
    }
    for (const auto& each : sent.reports) {
      reports.push_back(each);
      if (model::is_final(each.phase))
        take(cluster.run_over(each.run, run_verdict::in_order, 1, now));
    }
    take(cluster.committed(sent.incarnation, sequences));
  }
  void acknowledged(const model::report_ack& ack) {
    if (waiting_ == 0 || ack.committed_sequence < waiting_) return;
    waiting_ = 0;
    carry_out(core.reports(cluster.info().incarnation, ack));
  }

  void carry_out(armada_core::effects effects) {
    for (auto& effect : effects) std::visit([this](auto& what) { act(what); }, effect);
  }
  void act(const armada_hello& what) {
    carry_out(core.hello(take(cluster.hello(what.message, now.count(), now)), now));
  }
  void act(const armada_nodes& what) {
    carry_out(core.nodes(take(cluster.nodes(what.message, 1, now))));
  }
  void act(const armada_heartbeat& what) {
    carry_out(core.heartbeat(take(cluster.heartbeat(what.message, now))));
  }
  void act(const armada_reports& what) {
    auto answer = cluster.reports(what.message, now);
    if (!answer.reply) {
      carry_out(core.reports(what.message.incarnation, fail(answer.reply.error())));
      return;
    }
    waiting_ = *answer.reply;
    keep(std::move(answer.events), std::move(answer.effects));
    if (waiting_ == 0) return;
    waiting_ = 0;
    carry_out(core.reports(what.message.incarnation, fail(ec::timeout, "no answer")));
  }
  void act(const armada_reply& what) { reply = what.answer; }
  void act(const armada_taken& what) { told = what.outcome; }

  std::uint64_t waiting_ = 0;  ///< The ticket of the reports that are under way.
};

}  // namespace argosy::ledger
