// SPDX-License-Identifier: Apache-2.0
// The parts of a round over a small world, put together and asked one by one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/scheduling/engine/round_parts.hpp"
#include "runtime/scheduling/engine/steps/evictor.hpp"
#include "tests/support/world_fixture.hpp"
#include "tests/support/world_text.hpp"

namespace argosy::scheduling::engine::parts_test {

using ids = std::vector<std::uint32_t>;

struct asked {
  preset name = preset::argosy;
  round_params params{};
  std::vector<node_key> node_order{};  ///< Empty: that of the preset.
};

/// A round of which nothing is decided yet. Jobs are numbered as they stand in the text.
struct begun {
  explicit begun(const std::string& text, const asked& how = {})
      : params(how.params),
        given(read(text, how)),
        on(t(), given.conf, params, pool()),
        parts(on, params) {}

  static snap1_world read(const std::string& text, const asked& how) {
    auto made = read_snap1(text, bench_config(how.name)).value();
    if (!how.node_order.empty()) made.conf.node_order = how.node_order;
    return made;
  }
  [[nodiscard]] const tables& t() const { return given.jobs_and_nodes.data(); }
  [[nodiscard]] std::uint32_t pool() const { return t().pools.find("default"); }
  [[nodiscard]] std::uint32_t shape_of(std::uint32_t job) const { return t().jobs[job].shape; }

  /// Lets the evicted jobs stand in line.
  void line_up_evicted(const evictions& evicted) {
    admission.emplace(parts.nodes);
    line = line_up(parts.nodes, parts.queues, evicted, parts.made.evicted().size(), *admission);
    order = returning_order(t(), parts.queues, line);
    parts.nodes.table.enter(line);
    parts.chooser.open(order);
    parts.places.open(order);
  }
  void evict_none() {
    evictions nobody;
    nobody.returning.resize(parts.queues.queues.size());
    line_up_evicted(nobody);
  }
  void evict(std::uint32_t job) {
    auto& bound = parts.nodes.bound;
    const auto node = bound.node_of(job);
    bound.evict(job, shape_of(job), node, bound.priority(job));
    parts.made.evict({job, shape_of(job), node});
  }
  /// The queued jobs as a gang, or a single one.
  [[nodiscard]] gang gang_of(const ids& jobs) const {
    gang made;
    made.total.assign(t().dims, 0);
    for (const auto job : jobs) {
      offer o;
      o.job = job;
      o.shape = shape_of(job);
      o.gang = t().jobs[job].gang;
      made.priority = o.priority = o.run_priority = t().class_of(t().jobs[job]).priority;
      made.offers.push_back(o);
      for (std::uint32_t d = 0; d < t().dims; ++d) made.total[d] += t().amounts(o.shape)[d];
    }
    return made;
  }
  [[nodiscard]] std::int64_t free_cpu(std::uint32_t node, std::uint32_t row = 0) const {
    return parts.nodes.free.free(node, row)[0];
  }

  round_params params;
  snap1_world given;
  world on;
  round_parts parts;
  std::optional<heads> admission;
  std::vector<table_entry> line;
  returning_order order;
};

inline std::string runs(const worlds::job_fields& of, int node, int priority) {
  return worlds::job(of) + worlds::run({.job = of.id, .node = node, .priority = priority});
}

/// Two nodes of 4 cores. Queue a runs 0 (low, 1 core) and 1 (std, 2 cores) on n0 and 2 (std, 1
/// core) on n1; of b wait 3 (urgent, 2 cores) and 4 (std, 1 core).
inline std::string two_nodes() {
  return worlds::node({.number = 0}) + worlds::node({.number = 1}) + worlds::queue("a") +
         worlds::queue("b") + runs({.id = "j0", .queue = "a", .priority_class = "low"}, 0, 500) +
         runs({.id = "j1", .queue = "a", .cpu = 2000}, 0, 1000) +
         runs({.id = "j2", .queue = "a"}, 1, 1000) +
         worlds::job({.id = "j3", .queue = "b", .priority_class = "urgent", .cpu = 2000}) +
         worlds::job({.id = "j4", .queue = "b"});
}

/// The gang 0, 1 runs on n0 and n1 beside the single job 2 on n0, all of them std, 1 core; the gang
/// 3, 4 of 3 cores each waits.
inline std::string gangs(const std::string& mate_class = "std") {
  const auto waits = [](const char* id) {
    return worlds::job({.id = id, .queue = "b", .cpu = 3000, .gang = "h", .cardinality = 2});
  };
  return worlds::node({.number = 0}) + worlds::node({.number = 1}) + worlds::queue("a") +
         worlds::queue("b") +
         runs({.id = "j0", .queue = "a", .gang = "g", .cardinality = 2}, 0, 1000) +
         runs({.id = "j1",
               .queue = "a",
               .priority_class = mate_class,
               .gang = "g",
               .cardinality = 2},
              1, 1000) +
         runs({.id = "j2", .queue = "a"}, 0, 1000) + waits("j3") + waits("j4");
}

}  // namespace argosy::scheduling::engine::parts_test
