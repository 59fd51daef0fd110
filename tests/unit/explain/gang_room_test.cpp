// SPDX-License-Identifier: Apache-2.0
// Goal: the owner of a gang that waits reads how many members there is room for, now and ever, and
// what the next one lacks. Method: small worlds; the last job is a member.
#include "runtime/scheduling/explain/gang_room.hpp"

#include "runtime/scheduling/explain/capacity.hpp"
#include "runtime/scheduling/tables.hpp"
#include "tests/support/world_fixture.hpp"
#include "tests/support/world_text.hpp"

namespace argosy::scheduling {
namespace {

std::string gang_node(int number, int cores, const std::string& labels = "-") {
  return worlds::node({.number = number,
                       .cluster = "e" + std::to_string(number),
                       .cpu = 1000 * cores,
                       .memory = std::int64_t{8} << 30,
                       .labels = labels});
}

std::string running(int node, int cores) {
  const auto id = "r" + std::to_string(node);
  return worlds::job({.id = id, .priority_class = "std-np", .cpu = 1000 * cores}) +
         worlds::run({.job = id, .node = node});
}

std::string member(const std::string& id, int cores, int cardinality,
                   const std::string& label = "-") {
  return worlds::job({.id = id,
                      .cpu = 1000 * cores,
                      .memory = std::int64_t{1} << 30,
                      .gang = "g",
                      .cardinality = cardinality,
                      .uniformity_label = label});
}

std::optional<gang_room> room(const std::string& text, bool one_cluster = false) {
  auto conf = bench_config(preset::argosy);
  conf.gang_in_one_cluster = one_cluster;
  const auto world = read_snap1(worlds::queue("q") + text, conf).value();
  const auto& from = world.jobs_and_nodes;
  const auto last = static_cast<std::uint32_t>(from.data().jobs.size() - 1);
  return room_for_gang(from, world.conf, world.params.pool, from.job_id(last));
}

std::string three(int cores, const std::string& label = "-") {
  return member("a", cores, 3, label) + member("b", cores, 3, label) + member("c", cores, 3, label);
}

TEST(gang_room, counts_members_that_fit_beside_what_runs) {
  const auto found = room(gang_node(0, 4) + gang_node(1, 2) + running(1, 1) + three(2));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->members, 3U);
  EXPECT_EQ(found->minimum, 3U);
  EXPECT_EQ(found->fit_now, 2U);
  EXPECT_EQ(found->fit_ever, 3U);
  EXPECT_EQ(found->next_needs, "2 cores and 1 GiB of memory");
  EXPECT_EQ(found->where, "");
}

TEST(gang_room, places_large_members_first) {
  const auto world = gang_node(0, 3) + gang_node(1, 2);
  const auto found = room(world + member("a", 1, 3) + member("b", 1, 3) + member("c", 3, 3));
  EXPECT_EQ(found->fit_now, 3U);
  EXPECT_EQ(found->next_needs, "");
}

TEST(gang_room, is_that_of_the_best_value_of_the_label) {
  const auto world = gang_node(0, 2, "rack=a") + gang_node(1, 4, "rack=b") + gang_node(2, 8);
  const auto found = room(world + three(2, "rack"));
  EXPECT_EQ(found->fit_now, 2U);
  EXPECT_EQ(found->fit_ever, 2U);
  EXPECT_EQ(found->where, "under rack=b");
  EXPECT_TRUE(found->label_carried);
  const auto nowhere = room(world + three(2, "row"));
  EXPECT_EQ(nowhere->fit_ever, 0U);
  EXPECT_EQ(nowhere->label, "row");
  EXPECT_FALSE(nowhere->label_carried);
}

TEST(gang_room, is_none_under_a_label_that_preset_current_does_not_read) {
  const auto text = worlds::queue("q") + gang_node(0, 8, "rack=a") + three(2, "rack");
  for (const auto* indexed : {"", "rack"}) {
    auto conf = bench_config(preset::current);
    conf.indexed_labels.clear();
    if (*indexed != '\0') conf.indexed_labels.emplace_back(indexed);
    const auto world = read_snap1(text, conf).value();
    const auto& from = world.jobs_and_nodes;
    const auto found = room_for_gang(from, world.conf, world.params.pool, from.job_id(0));
    EXPECT_EQ(found->label_read, *indexed != '\0');
    EXPECT_EQ(found->fit_ever, *indexed != '\0' ? 3U : 0U);
    const pool_capacity pool(from, world.conf, world.params.pool);
    EXPECT_EQ(pool.why_never(from.job_id(0)).has_value(), *indexed == '\0');
  }
}

TEST(gang_room, is_that_of_the_best_cluster_where_a_gang_stays_in_one) {
  const auto found = room(gang_node(0, 2) + gang_node(1, 4) + three(2), true);
  EXPECT_EQ(found->fit_now, 2U);
  EXPECT_EQ(found->where, "in cluster e1");
}

TEST(gang_room, is_nothing_for_single_jobs_and_unknown_pools) {
  const auto world = gang_node(0, 4);
  EXPECT_FALSE(room(world + worlds::job({.id = "j"})));
  const auto other =
      read_snap1(worlds::queue("q") + world + three(1), bench_config(preset::argosy)).value();
  EXPECT_FALSE(
      room_for_gang(other.jobs_and_nodes, other.conf, "nowhere", other.jobs_and_nodes.job_id(0)));
  EXPECT_FALSE(room_for_gang(other.jobs_and_nodes, other.conf, other.params.pool, ulid{}));
}

}  // namespace
}  // namespace argosy::scheduling
