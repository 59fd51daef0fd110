// SPDX-License-Identifier: Apache-2.0
// This file tells who is evicted, and in which order the evicted would come back.
#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "runtime/scheduling/engine/mixing.hpp"
#include "runtime/scheduling/engine/round_engine.hpp"

namespace argosy::scheduling::engine {

void round_engine::protect_gangs() {
  if (!conf_.protect_whole_gang) return;
  absl::flat_hash_set<std::uint32_t> seen;
  for (const auto& queue : t_.queues) {
    for (const auto& e : queue.running) {
      if (e.gang == none || conf_.classes[t_.shapes[e.shape].class_index].urgency_preemptible)
        continue;
      const auto& members = t_.gangs[e.gang].members;
      if (members.size() < 2 || !seen.insert(e.gang).second) continue;
      for (const auto job : members)
        if (t_.jobs[job].running) nodes_.protect(job, shape_of(job));
    }
  }
}

bool round_engine::gives_up(const queue_book& book) const {
  return !book.protects(conf_, books_.cost(book.used.data()));
}

bool round_engine::drawn(std::uint32_t node) const {
  if (conf_.eviction_probability >= 1.0) return true;
  const auto& id = t_.nodes[nodes_.slots[node]].id;
  const auto value = split_mix(params_.seed ^ split_mix(hash_text(id)));
  return unit_interval(value) < conf_.eviction_probability;
}

bool round_engine::contested(std::uint32_t queue, std::int32_t priority) const {
  if (!conf_.evict_contested_only) return true;
  for (std::uint32_t other = 0; other < books_.queues.size(); ++other) {
    const auto& wanted = books_.queues[other].queued_at;
    if (other != queue && std::find(wanted.begin(), wanted.end(), priority) != wanted.end())
      return true;
  }
  return false;
}

bool round_engine::one_queue_per_gang(std::uint32_t gang) {
  if (conf_.isolated_trials) return true;
  const auto& record = t_.gangs[gang];
  return gang_queues_.try_emplace(record.name, record.queue).first->second == record.queue;
}

void round_engine::evict_one(std::uint32_t queue, std::uint32_t job, std::uint32_t shape,
                             std::uint32_t node) {
  const auto at = nodes_.bound_priority(job);
  nodes_.evict(job, shape, node, at);
  if (evicted_levels_.empty() || evicted_levels_.back() != at) evicted_levels_.push_back(at);
  evicted_.push_back({job, shape, node});
  const auto& record = t_.jobs[job];
  offer o;
  o.job = job;
  o.shape = shape;
  o.gang = record.gang;
  o.home = node;
  o.run_priority = record.running ? record.run_priority : t_.class_of(record).priority;
  books_.charge(queue, shape, -1, false);
  returning_[queue].push_back(o);
  const auto* request = t_.amounts(shape);
  if (std::any_of(request + t_.node_dims, request + t_.dims,
                  [](auto amount) { return amount != 0; }))
    floating_holders_.push_back(job);
}

void round_engine::evict_queue(std::uint32_t queue) {
  const auto& list = t_.queues[books_.queues[queue].slot].running;
  const auto filter = t_.pools.size() > 1;
  const auto here = [&](const running_entry& e) {
    return nodes_.dense[e.node] != none && (!filter || t_.jobs[e.job].run_pool == pool_);
  };
  const auto protected_gang = [&](std::uint32_t gang) {
    if (!conf_.protect_whole_gang) return false;
    const auto& members = t_.gangs[gang].members;
    return std::any_of(members.begin(), members.end(), [&](std::uint32_t job) {
      const auto class_index = t_.shapes[shape_of(job)].class_index;
      return t_.jobs[job].running && !conf_.classes[class_index].fair_share_preemptible;
    });
  };
  // When a run has lasted as long as its class asks for; nothing if it has.
  const auto of_age = [&](std::uint32_t job) -> std::optional<std::int64_t> {
    const auto& record = t_.jobs[job];
    const auto least = conf_.classes[t_.shapes[record.shape].class_index].min_run_time_ns;
    if (least == 0 || !record.running) return {};
    const auto moment = wide{record.created_ns} + least;
    if (moment <= params_.round_time_ns) return {};
    return static_cast<std::int64_t>(
        std::min<wide>(moment, std::numeric_limits<std::int64_t>::max()));
  };
  // Whether it, and with it its gang, is too young to leave.
  const auto young = [&](const std::uint32_t* jobs, std::size_t count) {
    std::optional<std::int64_t> last;
    for (std::size_t i = 0; i < count; ++i) last = std::max(last, of_age(jobs[i]));
    if (!last) return false;
    plan_.of_age_ns = plan_.of_age_ns ? std::min(plan_.of_age_ns, last) : last;
    return true;
  };
  // The gangs of which a member is hit, and whether each leaves.
  absl::flat_hash_map<std::uint32_t, bool> gangs;
  std::vector<std::uint8_t> eligible;
  bool ages = false;
  for (const auto& type : conf_.classes) ages = ages || type.min_run_time_ns != 0;
  for (const auto& type : conf_.classes)
    eligible.push_back(type.fair_share_preemptible && contested(queue, type.priority));
  const auto hit = [&](const running_entry& e) {
    return eligible[t_.shapes[e.shape].class_index] != 0 && drawn(nodes_.dense[e.node]);
  };
  for (const auto& e : list) {
    if (e.gang == none || gangs.contains(e.gang) || !here(e) || !hit(e)) continue;
    const auto& members = t_.gangs[e.gang].members;
    gangs.emplace(e.gang, !protected_gang(e.gang) && !young(members.data(), members.size()));
  }
  const auto leaves = [&](const running_entry& e) {
    if (e.gang == none) return hit(e) && !(ages && young(&e.job, 1));
    const auto found = gangs.find(e.gang);
    return found != gangs.end() && found->second;
  };
  const auto spared = [&](const running_entry& e) {
    return conf_.eviction_probability > 0 && eligible[t_.shapes[e.shape].class_index] != 0 &&
           !drawn(nodes_.dense[e.node]);
  };
  for (const auto& e : list) {
    if (!here(e)) continue;
    if (!leaves(e)) {
      plan_.spared_by_draw += spared(e) ? 1 : 0;
      continue;
    }
    if (e.gang != none && !one_queue_per_gang(e.gang))
      return fail("gang id '" + t_.gang_names.name(t_.gangs[e.gang].name) +
                  "' is evicted in two queues");
    evict_one(queue, e.job, e.shape, nodes_.dense[e.node]);
  }
}

void round_engine::set_members() {
  absl::flat_hash_map<std::uint32_t, std::uint32_t> counts;
  for (auto& list : returning_) {
    for (auto& o : list) {
      if (o.gang == none) continue;
      const auto& members = t_.gangs[o.gang].members;
      if (!conf_.return_room_only) {
        o.members = static_cast<std::uint32_t>(members.size());
        continue;
      }
      const auto [at, first] = counts.try_emplace(o.gang, 0);
      if (first)
        at->second = static_cast<std::uint32_t>(std::count_if(
            members.begin(), members.end(),
            [&](std::uint32_t job) { return (nodes_.state(job).flags & holds_room) != 0; }));
      o.members = at->second;
    }
  }
}

void round_engine::evict_for_balance() {
  returning_.assign(books_.queues.size(), {});
  if (!conf_.evict_for_balance) return;
  // Armada evicts nevertheless, and pushes nobody out for balance.
  if (conf_.disable_fair_share_preemption && conf_.base != preset::current) return;
  std::vector<std::uint32_t> rich;
  for (std::uint32_t q = 0; q < books_.queues.size(); ++q)
    if (!books_.queues[q].away && gives_up(books_.queues[q])) rich.push_back(q);
  for (const auto q : rich) {
    evict_queue(q);
    if (!plan_.error.empty()) return;
  }
  set_members();
  if (conf_.evicted_first) return;
  // Evicted and queued jobs are merged, so both must stand in the same order.
  for (auto& list : returning_)
    std::sort(list.begin(), list.end(),
              [&](const offer& a, const offer& b) { return queued_before(t_, a.job, b.job); });
}

void round_engine::number_evicted() {
  const auto dims = t_.dims;
  std::vector<std::int64_t> used(books_.queues.size() * dims);
  std::vector<const std::int64_t*> pointers;
  for (std::size_t q = 0; q < books_.queues.size(); ++q) {
    std::copy_n(books_.queues[q].used.data(), dims, used.data() + q * dims);
    pointers.push_back(used.data() + q * dims);
  }
  std::vector<table_entry> order;
  order.reserve(evicted_.size());
  // When evicted and queued jobs stand in one order, the queued jobs that may start take turns as
  // well.
  contest_options options;
  options.with_queued = !conf_.evicted_first;
  options.lookback = conf_.max_lookback;
  options.admission = &heads_;
  options.pool = pool_;
  heads_.begin_numbering(!evicted_.empty());
  contest streams(nodes_, books_, returning_, pointers, options);
  if (options.with_queued) streams.close_cordoned();
  bool gangs = false;
  while (order.size() < evicted_.size()) {
    auto* g = streams.head();
    if (g == nullptr) break;
    const auto queue = streams.head_rank().queue;
    const auto key = heads_.note_turn(streams.head_rank());
    auto* sum = used.data() + std::size_t{queue} * dims;
    for (const auto& o : g->offers) {
      if (o.home != none) order.push_back({o.job, o.shape, o.home, queue & 0x7fffffffu, 1, key});
      gangs = gangs || (o.gang != none && o.home != none);
    }
    for (std::uint32_t d = 0; d < dims; ++d) sum[d] += g->total[d];
    streams.advance();
  }
  if (!order_.walks_table) rank_evicted(order);
  if (!order_.walks_table && gangs) {
    for (std::uint32_t place = 0; place < order.size(); ++place) {
      const auto gang = t_.jobs[order[place].job].gang;
      if (gang != none)
        losses_.add(gang, level_of_place(place), t_.amounts(order[place].shape), dims);
    }
    losses_.close([&](const std::int64_t* amounts) { return books_.cost(amounts); });
  }
  nodes_.enter(std::move(order));
  heads_.end_numbering();
  rest_ = {};
}

void round_engine::rank_evicted(std::vector<table_entry>& order) {
  if (order.empty()) return;
  const auto level = [&](const table_entry& entry) { return nodes_.state(entry.job).priority; };
  auto& levels = evicted_levels_;
  const bool alike =
      std::all_of(levels.begin(), levels.end(), [&](auto each) { return each == levels.front(); });
  // Whoever is bound at a higher priority is better entitled, whatever its turn.
  if (!alike)
    std::stable_sort(order.begin(), order.end(),
                     [&](const auto& a, const auto& b) { return level(a) > level(b); });
  // Not all levels need be in the table: a gang that lacks a member has no turn.
  levels.clear();
  level_begins_.clear();
  for (std::uint32_t place = 0; place < order.size(); ++place) {
    const auto own = level(order[place]);
    if (!levels.empty() && own == levels.back()) continue;
    levels.push_back(own);
    level_begins_.push_back(place);
    if (alike) break;
  }
  std::reverse(levels.begin(), levels.end());
  std::reverse(level_begins_.begin(), level_begins_.end());
  std::vector<std::uint32_t> rivals;
  for (std::uint32_t q = 0; q < returning_.size(); ++q)
    if (!returning_[q].empty()) rivals.push_back(q);
  filed_.assign(rivals.size(), 0);
  held_.open(books_, t_, std::move(rivals));
}

std::vector<round_engine::found_job> round_engine::oversubscribed() {
  std::vector<found_job> found;
  const std::size_t rows = nodes_.row_count();
  std::vector<std::uint8_t> overdrawn(nodes_.node_count() * rows, 0);
  std::vector<std::uint8_t> tight(nodes_.node_count(), 0);
  bool any = false;
  for (std::uint32_t node = 0; node < nodes_.node_count(); ++node) {
    for (std::uint32_t row = 1; row < nodes_.row_count(); ++row) {
      const auto* room = nodes_.free(node, row);
      if (std::all_of(room, room + nodes_.dims, [](auto amount) { return amount >= 0; })) continue;
      overdrawn[node * rows + row] = tight[node] = 1;
      any = true;
    }
  }
  if (!any) return found;
  const auto consider = [&](std::uint32_t job, std::uint32_t node) {
    if (!nodes_.is_bound(job)) return;
    const auto& record = t_.jobs[job];
    if (books_.of(job) == none || nodes_.immovable(job, record.shape)) return;
    const auto row = nodes_.row_of(nodes_.bound_priority(job));
    if (row != none && overdrawn[node * rows + row] != 0)
      found.push_back({job, record.shape, node});
  };
  for (std::uint32_t node = 0; node < nodes_.node_count(); ++node)
    if (tight[node] != 0)
      for (const auto job : t_.nodes[nodes_.slots[node]].jobs) consider(job, node);
  for (const auto& p : placed_) {
    const auto node = nodes_.node_of(p.job);
    if (tight[node] != 0) consider(p.job, node);
  }
  return found;
}

void round_engine::evict_oversubscribed(std::vector<found_job> found) {
  absl::flat_hash_set<std::uint32_t> gangs;
  for (std::size_t i = 0, count = found.size(); i < count; ++i) {
    const auto gang = t_.jobs[found[i].job].gang;
    if (gang == none || !gangs.insert(gang).second) continue;
    for (const auto mate : t_.gangs[gang].members)
      if (nodes_.is_bound(mate)) found.push_back({mate, shape_of(mate), nodes_.node_of(mate)});
  }
  returning_.assign(books_.queues.size(), {});
  gang_queues_.clear();
  for (const auto& [job, shape, node] : found) {
    if (!nodes_.is_bound(job)) continue;  // The member was found twice.
    const auto gang = t_.jobs[job].gang;
    if (gang != none && !one_queue_per_gang(gang))
      return fail("gang id '" + t_.gang_names.name(t_.gangs[gang].name) +
                  "' is evicted in two queues");
    evict_one(books_.of(job), job, shape, node);
    causes_.push_back({preemption_cause::urgency, last_urgent_[node]});
    nodes_.state(job).cause = static_cast<std::uint32_t>(causes_.size());
  }
  set_members();
  for (auto& list : returning_)
    std::sort(list.begin(), list.end(), [&](const offer& a, const offer& b) {
      const auto x = t_.jobs[a.job].running;
      const auto y = t_.jobs[b.job].running;
      if (x != y) return x;
      return x ? running_before(t_, a.job, b.job) : queued_before(t_, a.job, b.job);
    });
}

}  // namespace argosy::scheduling::engine
