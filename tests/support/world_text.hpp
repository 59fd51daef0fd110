// SPDX-License-Identifier: Apache-2.0
// This file builds worlds for tests of the round: each function writes one record, and the records
// of a world are added up in any order, but for nodes, which count from 0. The text is SNAP1, which
// decide() of world_fixture.hpp reads; tests name the fields that matter to them and leave out the
// others. Lists are written as in SNAP1: labels "zone=a,rack=b", taints "key=value:NoSchedule".
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace argosy::scheduling::worlds {

struct node_fields {
  int number = 0;
  std::string name{};  ///< When it is empty, the name is "n" and the number.
  std::string cluster = "e";
  std::int64_t cpu = 4000;     ///< In thousandths of a core.
  std::int64_t memory = 1000;  ///< In bytes.
  std::int64_t gpus = 0;
  std::string labels = "-";
  std::string taints = "-";
  bool unschedulable = false;
  std::string pool = "default";
};

struct job_fields {
  std::string id{};
  std::string queue = "q";
  std::string priority_class = "std";
  int priority = 0;
  std::int64_t submitted = 1;
  std::int64_t cpu = 1000;  ///< In thousandths of a core.
  std::int64_t memory = 0;  ///< In bytes.
  std::int64_t gpus = 0;
  std::string selector = "-";
  std::string tolerations = "-";
  std::string affinity = "-";
  std::string gang = "-";
  int cardinality = 1;
  std::string uniformity_label = "-";
  std::string pools = "-";  ///< "a|b": it may start in these alone.
  int minimum = 0;          ///< The smallest number of members to start with; 0: all.
};

struct run_fields {
  std::string job{};
  int node = 0;
  int priority = 1000;
  std::string pool = "default";
};

inline std::string record(std::initializer_list<std::string_view> fields) {
  std::string text;
  for (const auto field : fields) text.append(text.empty() ? "" : " ").append(field);
  return text += '\n';
}

inline std::string node(const node_fields& of) {
  const auto number = std::to_string(of.number);
  return record({"N", number, of.name.empty() ? "n" + number : of.name, of.cluster,
                 std::to_string(of.cpu), std::to_string(of.memory), std::to_string(of.gpus),
                 of.labels, of.taints, of.unschedulable ? "unschedulable" : "-", "-", of.pool});
}

inline std::string queue(std::string_view name, int priority_factor = 1, bool cordoned = false) {
  return record({"Q", name, std::to_string(priority_factor), cordoned ? "cordoned" : "-"});
}

/// A job that is queued, unless the world has a run() of it.
inline std::string job(const job_fields& of) {
  return record({"J", of.id, of.queue, of.priority_class, std::to_string(of.priority),
                 std::to_string(of.submitted), std::to_string(of.cpu), std::to_string(of.memory),
                 std::to_string(of.gpus), of.selector, of.tolerations, of.affinity, of.gang,
                 std::to_string(of.cardinality), of.uniformity_label, "-", of.pools,
                 std::to_string(of.minimum)});
}

inline std::string run(const run_fields& of) {
  return record({"R", of.job, std::to_string(of.node), "1", std::to_string(of.priority), of.pool});
}

/// A key of the configuration. Keys win over those of the test's configuration.
inline std::string key(std::string_view name, std::string_view value) {
  return record({"C", name, value});
}

}  // namespace argosy::scheduling::worlds
