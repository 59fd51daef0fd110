// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/round_properties/property_fixture.hpp"

namespace argosy::scheduling {

namespace {

constexpr std::int64_t memory_unit = std::int64_t{100} << 20;

}  // namespace

std::string test_world::text() const {
  std::ostringstream out;
  std::map<std::string, std::size_t> places;
  for (const auto& n : nodes) {
    places.emplace(n.id, places.size());
    out << "N " << places[n.id] << " " << n.id << " e " << n.cpu * 1000 << " "
        << n.memory * memory_unit << " 0 " << n.labels << " -\n";
  }
  for (const auto& q : queues) out << "Q " << q.name << " " << q.factor << "\n";
  for (const auto& j : jobs) {
    out << "J " << j.id << " " << j.queue << " " << j.class_name << " " << j.priority << " "
        << j.submitted << " " << j.cpu * 1000 << " " << j.memory * memory_unit << " 0 "
        << j.selector << " - - " << j.gang << " " << j.cardinality << " -\n";
    if (!j.node.empty())
      out << "R " << j.id << " " << places[j.node] << " " << j.created << " " << j.run_priority
          << "\n";
  }
  return out.str();
}

int test_world::used_on(const std::string& node) const {
  int sum = 0;
  for (const auto& j : jobs) sum += j.node == node ? j.cpu : 0;
  return sum;
}

int test_world::used_by(const std::string& queue) const {
  int sum = 0;
  for (const auto& j : jobs) sum += j.queue == queue && !j.node.empty() ? j.cpu : 0;
  return sum;
}

int test_world::running_of(const std::string& queue) const {
  int count = 0;
  for (const auto& j : jobs) count += j.queue == queue && !j.node.empty();
  return count;
}

test_world world_maker::make() {
  test_world world;
  const auto nodes = 1 + below(6);
  for (std::uint64_t n = 0; n < nodes; ++n)
    world.nodes.push_back({"n" + std::to_string(n), static_cast<int>(4 + below(13)),
                           "zone=z" + std::to_string(below(2))});
  const auto queues = 1 + below(4);
  for (std::uint64_t q = 0; q < queues; ++q)
    world.queues.push_back({"q" + std::to_string(q), static_cast<double>(1 + below(3))});
  const std::pair<const char*, int> classes[] = {
      {"low", 500}, {"std", 1000}, {"std", 1000}, {"std-np", 1000}, {"urgent", 2000}};
  const auto jobs = 5 + below(40);
  for (std::uint64_t i = 0; i < jobs; ++i) {
    auto& j = world.jobs.emplace_back();
    const auto& [name, priority] = classes[below(5)];
    j.id = "j" + std::to_string(1000 + i);
    j.queue = world.queues[below(queues)].name;
    j.class_name = name;
    j.priority = static_cast<int>(below(3));
    j.submitted = static_cast<int>(below(9));
    j.cpu = static_cast<int>(1 + below(5));
    j.created = static_cast<int>(below(9));
    j.run_priority = priority;
    const auto& node = world.nodes[below(nodes)];
    if (below(2) == 0 && world.used_on(node.id) + j.cpu <= node.cpu) j.node = node.id;
    if (j.node.empty() && below(5) == 0) j.selector = "zone=z0";
  }
  return world;
}

test_world world_maker::make_divisible(bool full) {
  test_world world;
  world.nodes.push_back({"n", static_cast<int>(4 + below(17)), "-"});
  const auto queues = 2 + below(3);
  for (std::uint64_t q = 0; q < queues; ++q) {
    world.queues.push_back({"q" + std::to_string(q), static_cast<double>(1 + below(3))});
    const auto jobs = full ? static_cast<std::uint64_t>(world.nodes[0].cpu) : below(20);
    for (std::uint64_t i = 0; i < jobs; ++i) {
      auto& j = world.jobs.emplace_back();
      j.id = "j" + std::to_string(1000 * (q + 1) + i);
      j.queue = world.queues[q].name;
      j.submitted = static_cast<int>(below(9));
    }
  }
  // The jobs that came first may have taken everything.
  shuffle(world.jobs);
  auto left = below(static_cast<std::uint64_t>(world.nodes[0].cpu) + 1);
  for (auto& j : world.jobs) {
    if (left == 0) break;
    j.node = "n";
    --left;
  }
  return world;
}

decided decide_fairly(const test_world& world, preset name,
                      const std::function<void(config&)>& adjust) {
  return decide(world.text(), name, [&](config& conf) {
    conf.protected_fraction = default_config(name).protected_fraction;
    if (adjust) adjust(conf);
  });
}

test_world after(const test_world& world, const lines& decisions, lost_jobs what) {
  auto next = world;
  for (const auto& row : decisions) {
    std::istringstream in(row);
    std::string kind;
    std::string id;
    std::string node;
    int priority = 0;
    in >> kind >> id >> node >> priority;
    for (auto& j : next.jobs) {
      if (j.id != id) continue;
      j.node = kind == "S" ? node : "";
      j.created = 100;
      j.run_priority = priority;
      if (kind == "P" && what == lost_jobs::end) j.queue = "";
    }
  }
  std::erase_if(next.jobs, [](const test_job& j) { return j.queue.empty(); });
  return next;
}

}  // namespace argosy::scheduling
