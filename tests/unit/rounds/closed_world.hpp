// SPDX-License-Identifier: Apache-2.0
// A small world of clusters, rounds and jobs, in which namespaces are closed and tried, and
// whatever can happen to runs happens to them at random.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "messages/rounds/delta_fold.hpp"
#include "runtime/model/namespace_part.hpp"
#include "runtime/scheduling/config.hpp"
#include "tests/unit/cluster_ledger/cluster_fixture.hpp"

namespace argosy::rounds {

struct closed_world {
  struct job {
    ledger::job_upsert row;
    model::cluster_name cluster;  ///< Where its run is; empty: it waits.
    model::node_name node;
    std::uint32_t runs = 0;
    bool taken = false;
    /// The parts of its namespace that were closed there when its run was leased.
    std::set<std::string> closed;
    std::vector<std::uint64_t> gang;
  };

  closed_world(std::uint32_t seed, const char* kind) : random(seed), kind_of_refusal(kind) {
    for (const auto* name : {"a", "b", "c"}) {
      ledger::cluster_driver& one =
          clusters.try_emplace(name, ledger::cluster_config{}, name).first->second;
      one.hello_message.cluster.backend = model::kubernetes_backend;
      one.hello_message.cluster.pool =
          model::pool_name{name == std::string{"c"} ? "other" : "default"};
      say_hello(name);
    }
    for (std::uint64_t number = 1; number <= 24; ++number) submit(number);
  }

  std::uint32_t any(std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); }

  void submit(std::uint64_t first);

  void say_hello(const std::string& name);

  /// What the actors do with what a core has decided.
  void carry_out(const std::string& name);

  std::uint64_t number_of(const model::run_key& run) const {
    for (const auto& [number, item] : jobs)
      if (item.row.header->id == run.job) return number;
    return 0;
  }

  void end_run(std::uint64_t number);

  void report(std::uint64_t number, model::run_phase phase);

  static std::vector<std::string> parts_of(const job& item) {
    const auto& header = *item.row.header;
    return model::parts_of(header.name_space, header.shape->attached, header.owner);
  }
  /// The part of its namespace for which the job's cluster refuses it.
  std::optional<std::string> refuses(const job& item) const {
    for (const auto& part : parts_of(item))
      if (refusing.contains({item.cluster, part})) return part;
    return std::nullopt;
  }

  void answer_one() {
    if (under_way.empty()) return;
    const auto number =
        *std::next(under_way.begin(), any(static_cast<std::uint32_t>(under_way.size())));
    report(number,
           refuses(jobs.at(number)) ? model::run_phase::refused : model::run_phase::pending);
  }

  void fold_changes();

  bool is_closed(const model::cluster_name& cluster, const std::string& part) const {
    const auto& all = clusters.at(cluster).core.all_closures();
    const auto shut = all.shut();
    return all.tried().contains(part) || std::ranges::find(shut, part) != shut.end();
  }

  void cycle();

  /// No more runs are leased into a closed namespace than may try it.
  void check_looks();

  void pass(boot_time span) {
    for (auto& [name, one] : clusters) {
      const bool is_heard = in_contact[name];
      one.tick(span);
      carry_out(name);
      if (!is_heard) continue;
      static_cast<void>(one.heartbeat());
      carry_out(name);
      if (one.core.contact() != ledger::contact_state::connected) say_hello(name);
    }
  }

  void cancel(std::uint64_t number) {
    const auto members = jobs.at(number).gang;
    for (const auto member : members) end_run(member);
    for (const auto member : members) {
      gone.push_back(jobs.at(member).row.header->id);
      changed.erase(member);
      jobs.erase(member);
    }
  }

  void restart();

  void lose_node(const std::string& cluster);

  void step();

  std::mt19937 random;
  const char* kind_of_refusal;
  std::shared_ptr<const scheduling::config> config =
      std::make_shared<const scheduling::config>(scheduling::default_config());
  std::unique_ptr<delta_fold> fold = std::make_unique<delta_fold>(config);
  std::map<std::string, ledger::cluster_driver> clusters;
  std::map<std::string, bool> in_contact;
  std::map<std::string, std::uint64_t> sequences;
  std::map<std::pair<std::string, std::string>, std::optional<model::node_info>> nodes;
  std::set<std::pair<std::string, std::string>> refusing;
  std::map<std::uint64_t, job> jobs;
  std::set<std::uint64_t> changed;
  std::set<std::uint64_t> under_way;  ///< Their agents have them, and have not answered.
  std::vector<ulid> gone;
  std::uint64_t last = 100;
  std::size_t leased = 0;
  std::size_t looks_seen = 0;
  std::size_t closures_restored = 0;
};

}  // namespace argosy::rounds
