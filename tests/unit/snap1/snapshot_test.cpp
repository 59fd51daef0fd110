// SPDX-License-Identifier: Apache-2.0
// Goal: a snapshot that deltas were folded into equals one built from nothing. Method: a seeded
// random history of nodes, queues and jobs; after every step both decide the same under each
// preset, also when the folded one is made compact in between. Gangs keep what they declare,
// however many differ.
#include "runtime/scheduling/snapshot.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "runtime/scheduling/round.hpp"
#include "runtime/scheduling/tables.hpp"

namespace argosy::scheduling {
namespace {

/// The true state as plain maps, and a snapshot that follows it.
class history {
 public:
  explicit history(std::uint64_t seed) : random_(seed), folded_(conf()) {}

  static const config& conf() {
    static const config bench = bench_config(preset::argosy);
    return bench;
  }

  void step() {
    switch (below(10)) {
      case 0:
        return change_node();
      case 1:
        return change_queue();
      case 2:
      case 3:
        return remove_job();
      case 4:
      case 5:
        return start_job();
      default:
        return add_job();
    }
  }

  /// Makes the folded snapshot compact. The jobs' shapes have other numbers then.
  void compact() {
    folded_.settle();
    const auto numbers = folded_.compact();
    for (auto& [id, row] : jobs_) {
      row.shape = numbers.at(row.shape);
      ASSERT_NE(row.shape, none) << "a live job's shape was forgotten";
    }
    EXPECT_EQ(folded_.entry_count(), built().entry_count()) << "something is kept for nobody";
  }

  void compare() {
    folded_.settle();
    const auto built = this->built();
    EXPECT_EQ(built.queued_count(), folded_.queued_count());
    EXPECT_EQ(built.running_count(), folded_.running_count());
    auto round_conf = conf();
    round_conf.protected_fraction = 0.5;
    const auto expected = schedule(built, round_conf, {});
    const auto found = schedule(folded_, round_conf, {});
    EXPECT_EQ(found.violation, "");
    EXPECT_EQ(found.digest, expected.digest);
    EXPECT_EQ(found.leases.size(), expected.leases.size());
    EXPECT_EQ(found.preemptions.size(), expected.preemptions.size());
    ASSERT_EQ(found.queues.size(), expected.queues.size());
    for (std::size_t q = 0; q < found.queues.size(); ++q) {
      EXPECT_EQ(found.queues[q].used_after, expected.queues[q].used_after);
      EXPECT_EQ(found.queues[q].demand, expected.queues[q].demand);
    }
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  /// The true state, built from nothing.
  [[nodiscard]] snapshot built() const {
    snapshot out(conf());
    for (const auto& [id, row] : nodes_) EXPECT_TRUE(out.upsert_node(row));
    for (const auto& [name, row] : queues_) EXPECT_TRUE(out.upsert_queue(row));
    for (auto [id, row] : jobs_) {
      row.shape = intern(out, shapes_.at(id));
      EXPECT_TRUE(out.upsert_job(row));
    }
    out.settle();
    return out;
  }

  static shape_id intern(snapshot& into, const shape_row& row) {
    const auto shape = into.intern(row);
    EXPECT_TRUE(shape);
    return shape ? *shape : 0;
  }

  void change_node() {
    const auto id = "n" + std::to_string(below(6) + count_ / 40);
    if (nodes_.contains(id) && below(3) == 0) {
      nodes_.erase(id);
      return folded_.remove_node(id);
    }
    node_row row;
    row.id = id;
    row.executor = "e";
    row.pool = "default";
    row.total = {{"cpu", 4000 + 1000 * static_cast<std::int64_t>(below(8))}, {"memory", 100}};
    if (below(2) == 0) row.labels = {{"zone", "z" + std::to_string(below(2))}};
    row.unschedulable = below(6) == 0;
    nodes_[id] = row;
    EXPECT_TRUE(folded_.upsert_node(row));
  }

  void change_queue() {
    const auto name = "q" + std::to_string(below(4));
    if (queues_.contains(name) && below(4) == 0) {
      queues_.erase(name);
      return folded_.remove_queue(name);
    }
    const queue_row row{name, static_cast<double>(1 + below(3)), below(8) == 0, {}};
    queues_[name] = row;
    EXPECT_TRUE(folded_.upsert_queue(row));
  }

  void add_job() {
    job_row row;
    const auto number = ++count_;
    row.id.bytes[14] = static_cast<std::uint8_t>(number >> 8);
    row.id.bytes[15] = static_cast<std::uint8_t>(number);
    row.queue = "q" + std::to_string(below(4));
    const char* classes[] = {"low", "std", "std-np", "urgent"};
    shape_row shape;
    shape.priority_class = classes[below(4)];
    shape.requests = {{"cpu", 500 * static_cast<std::int64_t>(1 + below(6))}, {"memory", 1}};
    if (below(4) == 0) shape.selector = {{"zone", "z0"}};
    row.shape = intern(folded_, shape);
    row.priority = static_cast<std::uint32_t>(below(3));
    row.submit_ns = static_cast<std::int64_t>(below(100));
    if (below(5) == 0) row.gang = gang_row{"g" + std::to_string(below(3) + count_ / 20), 2, 0, ""};
    EXPECT_TRUE(folded_.upsert_job(row));
    shapes_[row.id] = shape;
    jobs_[row.id] = row;
  }

  void remove_job() {
    if (jobs_.empty()) return;
    const auto at = std::next(jobs_.begin(), static_cast<std::ptrdiff_t>(below(jobs_.size())));
    folded_.remove_job(at->first);
    shapes_.erase(at->first);
    jobs_.erase(at);
  }

  void start_job() {
    if (jobs_.empty() || nodes_.empty()) return;
    auto& row = std::next(jobs_.begin(), static_cast<std::ptrdiff_t>(below(jobs_.size())))->second;
    const auto node =
        std::next(nodes_.begin(), static_cast<std::ptrdiff_t>(below(nodes_.size())))->first;
    row.run = run_row{node, static_cast<std::int64_t>(below(100)), 1000, "default"};
    EXPECT_TRUE(folded_.upsert_job(row));
  }

  std::mt19937_64 random_;
  snapshot folded_;
  std::map<std::string, node_row> nodes_;
  std::map<std::string, queue_row> queues_;
  std::map<ulid, job_row> jobs_;
  std::map<ulid, shape_row> shapes_;
  std::uint64_t count_ = 0;
};

TEST(snapshot, folded_equals_built_after_every_step) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    history world(seed);
    for (int i = 0; i < 200 && !::testing::Test::HasFailure(); ++i) {
      world.step();
      world.compare();
    }
  }
}

TEST(snapshot, made_compact_equals_built) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    history world(seed);
    for (int i = 0; i < 200 && !::testing::Test::HasFailure(); ++i) {
      world.step();
      if (i % 3 == 0) world.compact();
      world.compare();
    }
  }
}

TEST(snapshot, refuses_amounts_that_are_mistakes) {
  snapshot world(history::conf());
  EXPECT_FALSE(world.intern({"std", {{"cpu", -1}}, {}, {}, {}}));
  EXPECT_FALSE(world.intern({"std", {{"memory", std::int64_t{1} << 60}}, {}, {}, {}}));
  node_row node;
  node.id = "n";
  node.total = {{"cpu", -5}};
  EXPECT_FALSE(world.upsert_node(node));
  job_row job;
  job.queue = "q";
  job.shape = 7;
  EXPECT_FALSE(world.upsert_job(job));
  EXPECT_EQ(world.queued_count(), 0u);
}

/// The terms that the gangs of a snapshot declare, each with its number.
class declared_gangs {
 public:
  /// The number of the terms under which the gang was folded in.
  std::uint32_t add(std::uint32_t cardinality, std::uint32_t minimum, const std::string& label) {
    job_row job;
    const auto number = ++jobs_;
    for (std::size_t i = 0; i < 4; ++i)
      job.id.bytes[15 - i] = static_cast<std::uint8_t>(number >> (8 * i));
    job.queue = "q";
    job.shape = shape_;
    job.gang = gang_row{"g" + std::to_string(number), cardinality, minimum, label};
    EXPECT_TRUE(world_.upsert_job(job));
    const auto& t = world_.data();
    return t.jobs[t.job_numbers.at(job.id)].gang_terms;
  }
  const tables& data() const { return world_.data(); }

 private:
  snapshot world_{bench_config(preset::argosy)};
  shape_id shape_ = *world_.intern({"std", {{"cpu", 1000}}, {}, {}, {}});
  std::uint32_t jobs_ = 0;
};

TEST(gang_terms, are_told_apart_with_any_number_of_labels) {
  declared_gangs gangs;
  std::set<std::uint32_t> numbers{gangs.add(2, 2, "")};
  constexpr std::uint32_t labels = (1u << 16) + 1;
  for (std::uint32_t i = 0; i < labels; ++i) {
    const auto label = "l" + std::to_string(i);
    const auto number = gangs.add(2, 2, label);
    numbers.insert(number);
    const auto& terms = gangs.data().gang_terms[number];
    ASSERT_NE(terms.label, none) << label;
    ASSERT_EQ(gangs.data().label_names.name(terms.label), label);
  }
  EXPECT_EQ(numbers.size(), labels + 1);
  EXPECT_EQ(gangs.data().gang_terms[gangs.add(2, 2, "")].label, none);
}

TEST(gang_terms, are_told_apart_at_any_size) {
  declared_gangs gangs;
  const std::uint32_t sizes[] = {2, 3, 1u << 16, 1u << 24, (1u << 24) + 2, ~0u};
  std::set<std::uint32_t> numbers;
  std::size_t count = 0;
  for (const auto cardinality : sizes) {
    for (const auto minimum : sizes) {
      if (minimum > cardinality) continue;
      const auto number = gangs.add(cardinality, minimum, "");
      EXPECT_EQ(gangs.data().gang_terms[number].cardinality, cardinality);
      EXPECT_EQ(gangs.data().gang_terms[number].minimum, minimum);
      numbers.insert(number);
      ++count;
    }
  }
  EXPECT_EQ(numbers.size(), count);
}

TEST(snapshot, refuses_a_round_with_other_columns) {
  snapshot world(history::conf());
  auto other = history::conf();
  other.classes.pop_back();
  EXPECT_NE(schedule(world, other, {}).error, "");
}

}  // namespace
}  // namespace argosy::scheduling
