// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/rounds/closed_world.hpp"

#include <algorithm>
#include <array>

#include "runtime/model/agent_run.hpp"
#include "runtime/scheduling/round.hpp"

namespace argosy::rounds {

using namespace std::chrono_literals;
using model::run_phase;

void closed_world::submit(std::uint64_t first) {
  const std::string name_space = any(2) == 0 ? "x" : "y";
  const auto* const owner = any(2) == 0 ? "alice" : "bob";
  const auto members = any(5) == 0 ? 3U : 1U;
  std::vector<std::uint64_t> gang;
  for (std::uint64_t i = 0; i < members; ++i) gang.push_back(first * 10 + i);
  auto shape = std::make_shared<model::job_shape>();
  shape->requests = {{"cpu", any(6) == 0 ? 100'000 : 1000 * (1 + any(2))}};
  shape->priority_class = "armada-preemptible";
  if (any(3) == 0) shape->attached = {model::attached_services};
  for (const auto number : gang) {
    auto header = std::make_shared<model::job_header>();
    header->id = ledger::run_of(number).job;
    header->queue = model::queue_name{any(2) == 0 || members > 1 ? "q" : "r"};
    header->name_space = name_space;
    header->owner = owner;
    header->shape = shape;
    auto& fresh = jobs[number];
    fresh.row.header = std::move(header);
    fresh.gang = gang;
    changed.insert(number);
    if (members == 1) continue;
    fresh.row.gang = std::make_shared<model::gang_info>(
        model::gang_info{"gang of " + std::to_string(first), members, members, {}});
  }
}

void closed_world::carry_out(const std::string& name) {
  auto& one = clusters.at(name);
  for (const auto& effect : one.effects<ledger::set_nodes>())
    for (const auto& node : effect.nodes) nodes[{name, node.name}] = node;
  for (const auto& effect : one.effects<ledger::remove_nodes>())
    for (const auto& node : effect.nodes) nodes[{name, node}] = std::nullopt;
  for (const auto& effect : one.effects<ledger::set_contact>())
    in_contact[name] = effect.in_contact;
  for (const auto& key : one.started())
    if (const auto number = number_of(key); number != 0) under_way.insert(number);
  std::vector<std::uint64_t> back;
  for (const auto& report : one.forwarded())
    if (report.phase == run_phase::refused || report.phase == run_phase::unknown)
      back.push_back(number_of(report.run));
  for (const auto number : back) end_run(number);
  // What is still unknown of a look that has ended is no part of the next one.
  for (const auto& part : one.core.all_closures().shut())
    for (auto& [number, item] : jobs)
      if (item.cluster == name) item.closed.erase(part);
}

void closed_world::end_run(std::uint64_t number) {
  auto& item = jobs.at(number);
  if (item.cluster.empty()) return;
  under_way.erase(number);
  const auto cluster = std::exchange(item.cluster, {});
  item.row.run = nullptr;
  item.taken = false;
  item.closed.clear();
  changed.insert(number);
  auto& one = clusters.at(cluster);
  one.take(one.core.run_over(ledger::run_of(number, item.runs), ledger::run_verdict::in_order, 5,
                             one.now));
  carry_out(cluster);
}

void closed_world::report(std::uint64_t number, run_phase phase) {
  auto& item = jobs.at(number);
  const auto cluster = item.cluster;
  auto& one = clusters.at(cluster);
  if (one.core.contact() != ledger::contact_state::connected) return;
  under_way.erase(number);
  model::run_report told;
  told.sequence = ++sequences[cluster];
  told.run = ledger::run_of(number, item.runs);
  told.phase = phase;
  if (phase == run_phase::refused) {
    const auto part = refuses(item).value_or("");
    // "+services@alice" is refused as "/services@".
    auto behind = part.substr(item.row.header->name_space.size());
    if (!behind.empty()) behind.front() = '/';
    behind.resize(std::min(behind.find('@'), behind.size() - 1) + 1);
    told.outcome = {std::nullopt, 0, model::reason_cluster_refused, "no", kind_of_refusal + behind};
  }
  if (phase == run_phase::pending) item.taken = true;
  ASSERT_TRUE(one.take(one.core.reports(
      {cluster, one.hello_message.cluster.incarnation, {told}, one.hello_message.cluster.process},
      one.now)));
  carry_out(cluster);
}

void closed_world::fold_changes() {
  for (const auto& [key, node] : nodes) {
    native::node_delta delta;
    delta.cluster = model::cluster_name{key.first};
    delta.pool = clusters.at(key.first).hello_message.cluster.pool;
    delta.present = node.has_value();
    delta.info.name = model::node_name{key.second};
    if (node) delta.info = *node;
    if (!in_contact[key.first]) delta.info.unschedulable = true;
    EXPECT_TRUE(fold->fold(delta).empty());
  }
  for (const auto* queue : {"q", "r"}) {
    native::queue_delta delta;
    delta.queue = delta.settings.name = model::queue_name{queue};
    delta.exists = true;
    ledger::job_changes changes;
    for (const auto number : changed)
      if (const auto at = jobs.find(number);
          at != jobs.end() && at->second.row.header->queue == queue)
        changes.set.push_back(at->second.row);
    if (queue == std::string{"q"}) changes.removed = std::exchange(gone, {});
    delta.jobs = std::make_shared<const ledger::job_changes>(std::move(changes));
    EXPECT_TRUE(fold->fold(delta).empty());
  }
  changed.clear();
}

void closed_world::cycle() {
  for (const auto* pool : {"default", "other"}) {
    fold_changes();
    fold->settle();
    if (fold->let_try()) fold->settle();
    scheduling::round_params params;
    params.pool = pool;
    params.seed = any(1000);
    const auto plan = scheduling::schedule(fold->snapshot(), *config, params);
    ASSERT_EQ(plan.error + plan.violation, "");
    static_cast<void>(fold->decided(model::pool_name{pool}));
    std::map<std::string, std::vector<model::start_run>> starts;
    for (const auto& lease : plan.leases) {
      const auto number = number_of({lease.job, 1});
      if (number == 0) continue;
      auto& item = jobs.at(number);
      const std::string id{fold->snapshot().node_id(lease.node)};
      item.cluster = model::cluster_name{id.substr(0, id.find('/'))};
      item.node = model::node_name{id.substr(id.find('/') + 1)};
      ++item.runs;
      ++leased;
      for (const auto& part : parts_of(item))
        if (is_closed(item.cluster, part)) item.closed.insert(part);
      model::run_record run;
      run.number = item.runs;
      run.cluster = item.cluster;
      run.node = item.node;
      run.pool = model::pool_name{pool};
      run.scheduled_at_priority = lease.priority;
      item.row.run = std::make_shared<const model::run_record>(run);
      changed.insert(number);
      auto start = ledger::start_of(number, 1000, item.row.header->queue, item.node);
      start.run.number = item.runs;
      start.name_space = item.row.header->name_space;
      start.attached = item.row.header->shape->attached;
      start.owner = item.row.header->owner;
      starts[item.cluster].push_back(std::move(start));
    }
    check_looks();
    for (auto& [cluster, list] : starts) {
      clusters.at(cluster).start(std::move(list));
      carry_out(cluster);
    }
  }
}

void closed_world::check_looks() {
  for (auto& [name, one] : clusters)
    for (const auto& [part, may] : one.core.all_closures().tried()) {
      std::set<std::vector<std::uint64_t>> trying;
      for (const auto& [number, item] : jobs)
        if (item.closed.contains(part) && !item.taken && item.cluster == name)
          trying.insert(item.gang);
      // The others of a gang follow the first one.
      std::erase_if(trying, [&](const auto& gang) {
        return std::ranges::any_of(gang, [&](const auto each) { return jobs.at(each).taken; });
      });
      ASSERT_LE(trying.size(), may) << name << " " << part;
      looks_seen += trying.size();
    }
}

void closed_world::restart() {
  fold = std::make_unique<delta_fold>(config);
  for (auto& [name, one] : clusters) {
    std::vector<ledger::desired_run> runs;
    for (auto& [number, item] : jobs) {
      if (item.cluster != name) continue;
      auto start = ledger::start_of(number, 1000, item.row.header->queue, item.node);
      start.run.number = item.runs;
      start.name_space = item.row.header->name_space;
      start.attached = item.row.header->shape->attached;
      start.owner = item.row.header->owner;
      runs.push_back({std::move(start), model::stop_cause::none, {}, item.taken});
      item.closed.clear();
      if (!item.taken) under_way.insert(number);
    }
    // The log has what happened before the last tick.
    one.tick(std::chrono::seconds{1});
    carry_out(name);
    const auto closed = one.core.all_closures().all();
    one.next_leader(std::move(runs));
    const auto known = one.core.all_closures().all();
    ASSERT_TRUE(std::ranges::equal(closed, known, [](const auto& a, const auto& b) {
      return a.name_space == b.name_space && a.kind == b.kind && b.tried;
    }));
    closures_restored += known.size();
    carry_out(name);
    sequences[name] = 0;
    say_hello(name);
  }
  for (const auto& [number, item] : jobs) changed.insert(number);
}

void closed_world::lose_node(const std::string& cluster) {
  auto& one = clusters.at(cluster);
  for (const auto number : std::vector(under_way.begin(), under_way.end()))
    if (jobs.at(number).cluster == cluster && jobs.at(number).node == "n1") end_run(number);
  std::erase_if(one.hello_message.nodes, [](const auto& node) { return node.name == "n1"; });
  say_hello(cluster);
  one.hello_message.nodes.push_back(ledger::node_named("n1"));
  say_hello(cluster);
}

void closed_world::step() {
  const std::string cluster(1, static_cast<char>('a' + any(3)));
  switch (any(16)) {
    case 0: {
      constexpr std::array parts{"", "+services", "+@alice", "+@bob", "+services@alice"};
      const std::pair where{cluster, std::string{any(2) == 0 ? "x" : "y"} +
                                         parts[any(static_cast<std::uint32_t>(parts.size()))]};
      if (!refusing.erase(where)) refusing.insert(where);
      return;
    }
    case 1:
      return pass(std::chrono::seconds{any(10)});
    case 2:
      return pass(std::chrono::seconds{any(400)});
    case 3:
      if (any(4) != 0) return;
      in_contact[cluster] = false;
      clusters.at(cluster).tick(20s);
      return carry_out(cluster);
    case 4:
      return say_hello(cluster);
    case 5:
      if (any(20) == 0) restart();
      return;
    case 6:
      if (any(4) == 0) lose_node(cluster);
      return;
    case 7:
      if (!jobs.empty())
        cancel(std::next(jobs.begin(), any(static_cast<std::uint32_t>(jobs.size())))->first);
      return;
    case 8:
      return submit(++last);
    case 9: {
      std::vector<std::uint64_t> done;
      for (const auto& [number, item] : jobs)
        if (item.taken && item.gang.size() == 1) done.push_back(number);
      if (!done.empty()) cancel(done[any(static_cast<std::uint32_t>(done.size()))]);
      return;
    }
    case 10:
    case 11:
    case 12:
      return answer_one();
    default:
      return cycle();
  }
}

void closed_world::say_hello(const std::string& name) {
  auto& one = clusters.at(name);
  std::vector<model::known_run> runs;
  for (const auto& [number, item] : jobs)
    if (item.cluster == name && item.taken)
      runs.push_back({ledger::run_of(number, item.runs), "q", run_phase::running, item.node});
  ASSERT_TRUE(one.hello(std::move(runs)));
  carry_out(name);
}

}  // namespace argosy::rounds
