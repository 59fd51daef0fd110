// SPDX-License-Identifier: Apache-2.0
// Goal: what preset `argosy` promises of every round. Method: seeded random worlds of nodes,
// queues, running and queued jobs; the seed is printed on failure.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "tests/unit/scheduling/world_fixture.hpp"

namespace argosy::scheduling {
namespace {

struct world_lines {
  lines nodes;
  lines queues;
  std::vector<lines> jobs;  ///< A J line, and the R line that may follow.

  [[nodiscard]] std::string text() const {
    std::string all;
    for (const auto* list : {&nodes, &queues})
      for (const auto& row : *list) all += row + "\n";
    for (const auto& job : jobs)
      for (const auto& row : job) all += row + "\n";
    return all;
  }
};

class world_maker {
 public:
  explicit world_maker(std::uint64_t seed) : random_(seed) {}

  world_lines make() {
    world_lines world;
    const auto nodes = 1 + below(6);
    std::vector<std::uint64_t> room;
    for (std::uint64_t n = 0; n < nodes; ++n) {
      room.push_back(4 + below(13));
      world.nodes.push_back("N " + std::to_string(n) + " n" + std::to_string(n) + " e " +
                            std::to_string(room.back() * 1000) + " 1000 0 zone=z" +
                            std::to_string(below(2)) + " -");
    }
    const auto queues = 1 + below(4);
    for (std::uint64_t q = 0; q < queues; ++q)
      world.queues.push_back("Q q" + std::to_string(q) + " " + std::to_string(1 + below(3)));
    const auto jobs = 5 + below(40);
    const std::pair<const char*, int> classes[] = {
        {"low", 500}, {"std", 1000}, {"std", 1000}, {"std-np", 1000}, {"urgent", 2000}};
    for (std::uint64_t j = 0; j < jobs; ++j) {
      const auto& [name, priority] = classes[below(5)];
      const auto cpu = 1 + below(5);
      const auto id = "j" + std::to_string(1000 + j);
      const auto node = below(nodes);
      const bool runs = below(2) == 0 && room[node] >= cpu;
      lines rows;
      rows.push_back("J " + id + " q" + std::to_string(below(queues)) + " " + name + " " +
                     std::to_string(below(3)) + " " + std::to_string(below(9)) + " " +
                     std::to_string(cpu * 1000) + " 1 0 " +
                     (!runs && below(5) == 0 ? "zone=z0" : "-") + " - - - 1 -");
      if (runs) {
        room[node] -= cpu;
        rows.push_back("R " + id + " " + std::to_string(node) + " " + std::to_string(below(9)) +
                       " " + std::to_string(priority));
      }
      world.jobs.push_back(rows);
    }
    return world;
  }

  template <class T>
  void shuffle(std::vector<T>& list) {
    std::shuffle(list.begin(), list.end(), random_);
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  std::mt19937_64 random_;
};

void protect_all_shares(config& conf) {
  conf.protected_fraction = 1.0;
}

/// The world after a plan: leases run, what was preempted waits again.
std::string after(const std::string& text, const lines& decisions, bool resubmit) {
  std::map<std::string, std::pair<std::string, std::string>> started;
  std::set<std::string> lost;
  for (const auto& row : decisions) {
    std::istringstream in(row);
    std::string kind, job, node, priority;
    in >> kind >> job >> node >> priority;
    if (kind == "S")
      started[job] = {node, priority};
    else
      lost.insert(job);
  }
  std::string out;
  for (const auto& row : split_lines(text)) {
    std::istringstream in(row);
    std::string kind, id;
    in >> kind >> id;
    const bool gone = lost.contains(id);
    if (kind == "R" && gone) continue;
    if (kind == "J" && gone && !resubmit) continue;
    out += row + "\n";
    if (kind == "J" && started.contains(id))
      out += "R " + id + " " + started[id].first.substr(1) + " 100 " + started[id].second + "\n";
  }
  return out;
}

TEST(property, order_of_the_input_changes_nothing) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    world_maker maker(seed);
    auto world = maker.make();
    const auto expected = decide(world.text(), preset::argosy, protect_all_shares).rows;
    // Nodes keep their numbers, since R lines refer to them by position.
    maker.shuffle(world.queues);
    maker.shuffle(world.jobs);
    EXPECT_EQ(decide(world.text(), preset::argosy, protect_all_shares).rows, expected);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(property, a_round_on_its_own_outcome_starts_nothing_that_was_refused_before) {
  // What could not be placed fits nowhere without breaking a rule: asked again, it does not fit.
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto text = world_maker(seed).make().text();
    const auto keep_all = [](config& conf) {
      conf.protected_fraction = 1e9;
      conf.disable_urgency_preemption = true;
    };
    const auto first = decide(text, preset::argosy, keep_all);
    EXPECT_TRUE(first.what.preemptions.empty());
    const auto second = decide(after(text, first.rows, false), preset::argosy, keep_all);
    EXPECT_EQ(second.rows, lines{});
    if (testing::Test::HasFailure()) return;
  }
}

TEST(property, plans_pass_the_self_check_through_many_rounds) {
  // Jobs end and arrive; decide() fails the test on any violation.
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    auto text = world_maker(seed).make().text();
    for (int round = 0; round < 25; ++round) {
      const auto outcome = decide(text, preset::argosy, protect_all_shares);
      EXPECT_EQ(outcome.what.error, "");
      const auto next = after(text, outcome.rows, true);
      // A third of the jobs that run come to their end.
      std::set<std::string> ended;
      for (const auto& row : split_lines(next)) {
        if (row[0] == 'R' && random() % 3 == 0) ended.insert(row.substr(2, row.find(' ', 2) - 2));
      }
      text.clear();
      for (const auto& row : split_lines(next)) {
        const auto id = row.substr(2, row.find(' ', 2) - 2);
        if (row[0] == 'N' || row[0] == 'Q' || !ended.contains(id)) text += row + "\n";
      }
      for (int i = 0; i < 3; ++i)
        text += "J x" + std::to_string(round * 10 + i) + " q0 " +
                (random() % 2 == 0 ? "std" : "urgent") + " 0 1 " +
                std::to_string(1000 * (1 + random() % 4)) + " 1 0 - - - - 1 -\n";
      if (testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace argosy::scheduling
