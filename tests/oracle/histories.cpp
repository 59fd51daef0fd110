// SPDX-License-Identifier: Apache-2.0
#include "tests/oracle/histories.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <stdexcept>
#include <tuple>

#include "tests/oracle/engine_side.hpp"
#include "tests/oracle/slow_parts.hpp"

namespace argosy::oracle {

namespace {

constexpr std::int64_t core = 1000;
constexpr int priority = 1000;

/// Returns the number of the row whose `member` has this value.
template <class Row>
std::size_t number_of(const std::vector<Row>& rows, std::string Row::*member,
                      const std::string& value) {
  const auto at =
      std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.*member == value; });
  if (at == rows.end()) throw std::runtime_error("nothing is called '" + value + "'");
  return static_cast<std::size_t>(at - rows.begin());
}

}  // namespace

history::history(std::uint64_t seed, kind preset) : state_(seed) {
  world_.rules.preset = preset;
  world_.rules.protected_fraction = 1;
  world_.classes = {{"std", priority, true, true, {}, 0}};
  world_.default_class = "std";
  const auto nodes = between(2, 6);
  for (int i = 0; i < nodes; ++i) {
    auto& made = world_.nodes.emplace_back();
    made.id = "n" + std::to_string(i);
    made.cluster = "e";
    made.total = {between(2, 8) * core, 1000000, 0, 0};
  }
  const auto queues = between(2, 4);
  for (int i = 0; i < queues; ++i) {
    auto& made = world_.queues.emplace_back();
    made.name = "q" + std::to_string(i);
    made.factor = below(3) == 0 ? 2 : 1;
  }
}

std::uint64_t history::below(std::uint64_t n) {
  return draw_random(state_) % n;
}

std::int64_t history::between(std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low + 1)));
}

void history::add_job(const std::string& id, const std::string& queue, std::int64_t cores) {
  auto& made = world_.jobs.emplace_back();
  made.id = id;
  made.queue = queue;
  made.class_name = "std";
  made.submitted = time_;
  made.request = {cores * core, 1, 0, 0};
}

void history::add_gang(const std::string& queue) {
  const auto members = between(2, 6);
  const auto cores = between(1, 3);
  const auto gang = std::to_string(100 + ++gangs_);
  for (int m = 0; m < members; ++m) {
    add_job("p" + std::to_string(phase_) + "g" + gang + "m" + std::to_string(m), queue, cores);
    world_.jobs.back().gang = "g" + gang;
    world_.jobs.back().cardinality = static_cast<unsigned>(members);
  }
}

void history::begin_phase() {
  ++phase_;
  const auto queue = world_.queues[below(world_.queues.size())].name;
  const auto offers = between(2, 8);
  for (int i = 0; i < offers; ++i) {
    ++time_;
    // One in five is larger than any node, so that it can never run.
    constexpr std::array<std::int64_t, 5> sizes = {1, 1, 2, 3, 30};
    if (below(10) < 3)
      add_gang(queue);
    else
      add_job("p" + std::to_string(phase_) + "j" + std::to_string(100 + i), queue,
              sizes[below(sizes.size())]);
  }
}

round_outcome history::decide() const {
  round_outcome what;
  for (const auto& line : engine_decides(world_)) {
    std::istringstream words(line);
    std::string verb;
    std::string id;
    std::string where;
    words >> verb >> id >> where;
    if (verb == "S") {
      what.started.push_back(number_of(world_.jobs, &job::id, id));
      what.node_of_started.push_back(number_of(world_.nodes, &node::id, where));
    } else if (verb == "P") {
      what.preempted.push_back(number_of(world_.jobs, &job::id, id));
    } else {
      throw std::runtime_error(line);
    }
  }
  return what;
}

std::string lasting_name(const std::string& name) {
  return name.substr(0, name.find('~'));
}

void history::apply(const round_outcome& what) {
  time_ += 10;
  for (std::size_t i = 0; i < what.started.size(); ++i) {
    auto& j = world_.jobs[what.started[i]];
    j.node = what.node_of_started[i];
    j.created = time_;
    j.run_priority = priority;
  }
  if (what.preempted.empty()) return;
  ++lost_;
  std::map<std::string, unsigned> lost_of_gang;
  for (const auto number : what.preempted) ++lost_of_gang[world_.jobs[number].gang];
  const auto again = [&](const std::string& name) {
    return lasting_name(name) + "~" + std::to_string(1000 + lost_);
  };
  for (const auto number : what.preempted) {
    auto& j = world_.jobs[number];
    j.id = again(j.id);
    j.node.reset();
    j.submitted = 1000000 + time_ * 100;
    if (j.gang.empty()) continue;
    j.cardinality = lost_of_gang[j.gang];
    j.gang = again(j.gang);
  }
}

namespace {

/// The preempted jobs that fall together.
struct fallen {
  std::size_t jobs = 0;
  std::vector<std::int64_t> room;  ///< What they leave, by node.
};

/// Whether jobs of these sizes, from the one at `first` on, find room.
bool find_room(std::vector<std::int64_t>& room, const std::vector<std::int64_t>& sizes,
               std::size_t first) {
  if (first == sizes.size()) return true;
  std::set<std::int64_t> tried;
  for (auto& free : room) {
    if (free < sizes[first] || !tried.insert(free).second) continue;
    free -= sizes[first];
    const auto good = find_room(room, sizes, first + 1);
    free += sizes[first];
    if (good) return true;
  }
  return false;
}

std::vector<fallen> fallen_of(const world& w, const std::vector<std::size_t>& preempted) {
  std::map<std::string, fallen> all;
  for (const auto number : preempted) {
    const auto& j = w.jobs[number];
    auto& own = all[j.gang.empty() ? j.id : j.gang];
    own.room.resize(w.nodes.size());
    ++own.jobs;
    own.room[*j.node] += j.request[0];
  }
  std::vector<fallen> out;
  for (auto& [name, own] : all) out.push_back(std::move(own));
  return out;
}

std::size_t queue_of(const world& w, const job& j) {
  return number_of(w.queues, &queue::name, j.queue);
}

/// Gives each queue its part of the pool by weight; what a queue does not ask for goes to others.
void fill_up(const world& w, division& into) {
  auto left = static_cast<double>(into.cores);
  std::vector<bool> full(w.queues.size());
  // The engine ends its sharing under the same conditions.
  for (int turn = 0; turn < 10 && left > 0.01 * static_cast<double>(into.cores); ++turn) {
    double open = 0;
    for (std::size_t q = 0; q < full.size(); ++q)
      if (!full[q] && into.demand[q] > 0) open += 1 / w.queues[q].factor;
    if (open == 0) return;
    const auto poured = left;
    for (std::size_t q = 0; q < full.size(); ++q) {
      if (full[q] || into.demand[q] == 0) continue;
      const auto most = static_cast<double>(std::min(into.demand[q], into.cores));
      const auto next = std::min(most, into.capped[q] + poured / w.queues[q].factor / open);
      left -= next - into.capped[q];
      into.capped[q] = next;
      full[q] = next >= most;
    }
  }
}

}  // namespace

std::size_t least_needed(const world& w, const round_outcome& what) {
  std::vector<std::int64_t> room;
  for (const auto& n : w.nodes) room.push_back(n.total[0]);
  for (const auto& j : w.jobs)
    if (j.node) room[*j.node] -= j.request[0];
  std::vector<std::int64_t> sizes;
  for (const auto number : what.started) sizes.push_back(w.jobs[number].request[0]);
  std::sort(sizes.rbegin(), sizes.rend());
  const auto wanted = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  const auto all = fallen_of(w, what.preempted);
  auto least = what.preempted.size();
  for (std::uint64_t chosen = 0; chosen < std::uint64_t{1} << all.size(); ++chosen) {
    std::size_t jobs = 0;
    auto left = room;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if ((chosen >> i & 1) == 0) continue;
      jobs += all[i].jobs;
      for (std::size_t n = 0; n < left.size(); ++n) left[n] += all[i].room[n];
    }
    const auto enough = std::accumulate(left.begin(), left.end(), std::int64_t{0}) >= wanted;
    if (jobs < least && enough && find_room(left, sizes, 0)) least = jobs;
  }
  return least;
}

division divide(const world& w) {
  const auto queues = w.queues.size();
  division out;
  out.used.assign(queues, 0);
  out.demand.assign(queues, 0);
  out.capped.assign(queues, 0);
  for (const auto& n : w.nodes) out.cores += n.total[0] / core;
  for (const auto& j : w.jobs) {
    out.demand[queue_of(w, j)] += j.request[0] / core;
    if (j.node) out.used[queue_of(w, j)] += j.request[0] / core;
  }
  fill_up(w, out);
  return out;
}

std::size_t kept_waiting(const world& w) {
  const auto use = divide(w);
  std::vector<std::int64_t> room;
  for (const auto& n : w.nodes) room.push_back(n.total[0]);
  std::vector<std::size_t> running;
  for (std::size_t j = 0; j < w.jobs.size(); ++j)
    if (w.jobs[j].node) running.push_back(j);
  // In the order in which they would return.
  std::sort(running.begin(), running.end(), [&](auto a, auto b) {
    const auto key = [&](std::size_t j) {
      return std::tuple(w.jobs[j].created, w.jobs[j].submitted, w.jobs[j].id);
    };
    return key(a) < key(b);
  });
  std::vector<std::int64_t> held(w.queues.size());
  for (const auto number : running) {
    const auto& j = w.jobs[number];
    auto& own = held[queue_of(w, j)];
    const auto beyond = static_cast<double>(own) / core > use.capped[queue_of(w, j)] + 1e-6;
    if (!beyond || !j.gang.empty()) room[*j.node] -= j.request[0];
    own += j.request[0];
  }
  return static_cast<std::size_t>(std::count_if(w.jobs.begin(), w.jobs.end(), [&](const job& j) {
    const auto q = queue_of(w, j);
    return !j.node && j.gang.empty() && static_cast<double>(use.used[q]) < use.capped[q] - 1e-6 &&
           *std::max_element(room.begin(), room.end()) >= j.request[0];
  }));
}

std::int64_t lacking(const world& w) {
  const auto use = divide(w);
  auto wanted = use.used;
  for (const auto& j : w.jobs)
    if (!j.node && j.gang.empty() && j.request[0] <= core) ++wanted[queue_of(w, j)];
  double weights = 0;
  for (std::size_t q = 0; q < wanted.size(); ++q)
    if (wanted[q] > 0) weights += 1 / w.queues[q].factor;
  std::int64_t sum = 0;
  for (std::size_t q = 0; q < wanted.size(); ++q) {
    if (wanted[q] == 0) continue;
    const auto part = static_cast<double>(use.cores) / w.queues[q].factor / weights;
    const auto due = std::min(wanted[q], static_cast<std::int64_t>(part));
    sum += std::max<std::int64_t>(0, due - use.used[q]);
  }
  return sum;
}

}  // namespace argosy::oracle
