// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/steps/evictor.hpp"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/scheduling/engine/mixing.hpp"

namespace argosy::scheduling::engine {

void protect_gangs(world& w) {
  const auto& t = w.nodes.t;
  const auto& conf = w.nodes.conf;
  if (!conf.protect_whole_gang) return;
  const auto is_kept = [&](std::uint32_t job) {
    return t.jobs[job].running && !t.class_of(t.jobs[job]).urgency_preemptible;
  };
  for (const auto& gang : t.gangs) {
    const auto& members = gang.members;
    if (members.size() < 2 || std::none_of(members.begin(), members.end(), is_kept)) continue;
    for (const auto job : members)
      if (t.jobs[job].running) w.bound.protect(job, t.jobs[job].shape);
  }
}

evictor::evictor(world& w, books& sums, const round_params& params, decisions& noted)
    : world_(w), t_(w.nodes.t), conf_(w.nodes.conf), books_(sums), params_(params), noted_(noted) {}

bool evictor::gives_up(const queue_book& book) const {
  return !book.protects(conf_, books_.cost(book.used.data()));
}

bool evictor::drawn(std::uint32_t node) const {
  if (conf_.eviction_probability >= 1.0) return true;
  const auto& id = world_.nodes.record(node).id;
  const auto value = split_mix(params_.seed ^ split_mix(hash_text(id)));
  return unit_interval(value) < conf_.eviction_probability;
}

bool evictor::contested(std::uint32_t queue, std::int32_t priority) const {
  if (!conf_.evict_contested_only) return true;
  for (std::uint32_t other = 0; other < books_.queues.size(); ++other) {
    const auto& wanted = books_.queues[other].queued_at;
    if (other != queue && std::find(wanted.begin(), wanted.end(), priority) != wanted.end())
      return true;
  }
  return false;
}

bool evictor::one_queue_per_gang(std::uint32_t gang) {
  if (conf_.isolated_trials) return true;
  const auto& record = t_.gangs[gang];
  if (gang_queues_.try_emplace(record.name, record.queue).first->second == record.queue)
    return true;
  made_.error = "gang id '" + t_.gang_names.name(record.name) + "' is evicted in two queues";
  return false;
}

bool evictor::protected_gang(std::uint32_t gang) const {
  if (!conf_.protect_whole_gang) return false;
  const auto& members = t_.gangs[gang].members;
  return std::any_of(members.begin(), members.end(), [&](std::uint32_t job) {
    const auto class_index = t_.shapes[t_.jobs[job].shape].class_index;
    return t_.jobs[job].running && !conf_.classes[class_index].fair_share_preemptible;
  });
}

std::optional<std::int64_t> evictor::of_age(std::uint32_t job) const {
  const auto& record = t_.jobs[job];
  const auto least = conf_.classes[t_.shapes[record.shape].class_index].min_run_time_ns;
  if (least == 0 || !record.running) return {};
  const auto moment = wide{record.created_ns} + least;
  if (moment <= params_.round_time_ns) return {};
  return static_cast<std::int64_t>(
      std::min<wide>(moment, std::numeric_limits<std::int64_t>::max()));
}

bool evictor::young(const std::uint32_t* jobs, std::size_t count) {
  std::optional<std::int64_t> last;
  for (std::size_t i = 0; i < count; ++i) last = std::max(last, of_age(jobs[i]));
  if (!last) return false;
  made_.of_age_ns = made_.of_age_ns ? std::min(made_.of_age_ns, last) : last;
  return true;
}

void evictor::evict_one(std::uint32_t queue, const found_job& found) {
  const auto [job, shape, node] = found;
  const auto at = world_.bound.priority(job);
  world_.bound.evict(job, shape, node, at);
  noted_.evict(found);
  const auto& record = t_.jobs[job];
  offer o;
  o.job = job;
  o.shape = shape;
  o.gang = record.gang;
  o.home = node;
  o.run_priority = record.running ? record.run_priority : t_.class_of(record).priority;
  books_.charge(queue, shape, -1, false);
  made_.returning[queue].push_back(o);
  const auto* request = t_.amounts(shape);
  if (std::any_of(request + t_.node_dims, request + t_.dims,
                  [](auto amount) { return amount != 0; }))
    made_.floating_holders.push_back(job);
}

bool runs_here(const node_columns& nodes, const running_entry& e) {
  return nodes.number_of(e.node) != none &&
         (nodes.t.pools.size() == 1 || nodes.t.jobs[e.job].run_pool == nodes.borders.pool());
}

std::vector<std::uint8_t> evictor::eligible_classes(std::uint32_t queue) const {
  std::vector<std::uint8_t> eligible;
  for (const auto& type : conf_.classes)
    eligible.push_back(type.fair_share_preemptible && contested(queue, type.priority));
  return eligible;
}

bool evictor::tails_suffice(const std::vector<std::uint32_t>& rich) const {
  const auto keeps_young = [](const priority_class& type) { return type.min_run_time_ns != 0; };
  const auto in_order = !conf_.class_before_cost || conf_.class_in_job_order;
  if (conf_.base == preset::current || !conf_.return_room_only || !conf_.evicted_first ||
      !conf_.isolated_trials || !conf_.explicit_victims() || !in_order || conf_.prefer_large_jobs ||
      usage_moves_turns(conf_) || conf_.selection != queue_selection::progressive_filling ||
      conf_.eviction_probability < 1.0 || !world_.nodes.guests().empty() ||
      std::any_of(conf_.classes.begin(), conf_.classes.end(), keeps_young))
    return false;
  // How much falls with a gang, and who holds floating resources, is asked for all that were
  // evicted.
  const auto matters = [&](const auto& kind) {
    const auto* need = t_.amounts(kind.first.shape);
    return kind.first.in_gang || std::any_of(need + t_.node_dims, need + t_.dims,
                                             [](auto amount) { return amount != 0; });
  };
  return std::none_of(rich.begin(), rich.end(), [&](std::uint32_t queue) {
    const auto& kinds = t_.queues[books_.queues[queue].slot].running_alike;
    return std::any_of(kinds.begin(), kinds.end(), matters);
  });
}

void evictor::evict_tail(std::uint32_t queue, const turn_rank& first_new, turn_ranks& ranks) {
  const auto& list = t_.queues[books_.queues[queue].slot].running;
  const auto eligible = eligible_classes(queue);
  // Those who come back last have the latest turns. What the queue uses is counted down.
  auto used = books_.queues[queue].used;
  auto first = list.size();
  std::vector<std::size_t> leaving;
  for (; first > 0; --first) {
    const auto& e = list[first - 1];
    const auto class_index = t_.shapes[e.shape].class_index;
    if (eligible[class_index] == 0 || !runs_here(world_.nodes, e)) continue;
    const auto* need = t_.amounts(e.shape);
    for (std::uint32_t d = 0; d < t_.dims; ++d) used[d] -= need[d];
    if (ranks.of(queue, used.data(), {need, conf_.classes[class_index].priority, true}) <
        first_new) {
      for (std::uint32_t d = 0; d < t_.dims; ++d) used[d] += need[d];
      break;
    }
    leaving.push_back(first - 1);
  }
  made_.untouched.push_back({queue, first, std::move(used), eligible});
  for (auto place = leaving.rbegin(); place != leaving.rend(); ++place) {
    const auto& e = list[*place];
    evict_one(queue, {e.job, e.shape, world_.nodes.number_of(e.node)});
  }
}

void evictor::evict_queue(std::uint32_t queue) {
  const auto& list = t_.queues[books_.queues[queue].slot].running;
  const auto here = [&](const running_entry& e) { return runs_here(world_.nodes, e); };
  // The gangs of which a member is hit, and whether each leaves.
  absl::flat_hash_map<std::uint32_t, bool> gangs;
  const auto eligible = eligible_classes(queue);
  bool ages = false;
  for (const auto& type : conf_.classes) ages = ages || type.min_run_time_ns != 0;
  const auto hit = [&](const running_entry& e) {
    return eligible[t_.shapes[e.shape].class_index] != 0 && drawn(world_.nodes.number_of(e.node));
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
           !drawn(world_.nodes.number_of(e.node));
  };
  for (const auto& e : list) {
    if (!here(e)) continue;
    if (!leaves(e)) {
      made_.spared_by_draw += spared(e) ? 1 : 0;
      continue;
    }
    if (e.gang != none && !one_queue_per_gang(e.gang)) return;
    evict_one(queue, {e.job, e.shape, world_.nodes.number_of(e.node)});
  }
}

void evictor::set_members() {
  absl::flat_hash_map<std::uint32_t, std::uint32_t> counts;
  for (auto& list : made_.returning) {
    for (auto& o : list) {
      if (o.gang == none) continue;
      const auto& members = t_.gangs[o.gang].members;
      if (!conf_.return_room_only) {
        o.members = static_cast<std::uint32_t>(members.size());
        continue;
      }
      const auto [at, first] = counts.try_emplace(o.gang, 0);
      if (first)
        at->second = static_cast<std::uint32_t>(
            std::count_if(members.begin(), members.end(),
                          [&](std::uint32_t job) { return world_.bound.holds_room(job); }));
      o.members = at->second;
    }
  }
}

evictions evictor::for_balance() {
  made_ = {};
  made_.returning.assign(books_.queues.size(), {});
  if (!conf_.evict_for_balance) return std::move(made_);
  // Armada evicts nevertheless, and pushes nobody out for balance.
  if (conf_.disable_fair_share_preemption && conf_.base != preset::current) return std::move(made_);
  std::vector<std::uint32_t> rich;
  for (std::uint32_t q = 0; q < books_.queues.size(); ++q)
    if (!books_.queues[q].away && gives_up(books_.queues[q])) rich.push_back(q);
  if (!rich.empty() && tails_suffice(rich)) {
    turn_ranks ranks(t_, conf_, books_);
    const auto first = ranks.first_new(world_.nodes.borders.pool());
    for (const auto q : rich)
      if (first) evict_tail(q, *first, ranks);
    set_members();
    return std::move(made_);
  }
  for (const auto q : rich) {
    evict_queue(q);
    if (!made_.error.empty()) return std::move(made_);
  }
  set_members();
  if (conf_.evicted_first) return std::move(made_);
  // Evicted and queued jobs are merged, so both must stand in the same order.
  for (auto& list : made_.returning)
    std::sort(list.begin(), list.end(),
              [&](const offer& a, const offer& b) { return queued_before(t_, a.job, b.job); });
  return std::move(made_);
}

evictions evictor::of(std::vector<found_job> found) {
  made_ = {};
  gang_queues_.clear();
  auto& bound = world_.bound;
  absl::flat_hash_set<std::uint32_t> gangs;
  for (std::size_t i = 0, count = found.size(); i < count; ++i) {
    const auto gang = t_.jobs[found[i].job].gang;
    if (gang == none || !gangs.insert(gang).second) continue;
    for (const auto mate : t_.gangs[gang].members)
      if (bound.is_bound(mate)) found.push_back({mate, t_.jobs[mate].shape, bound.node_of(mate)});
  }
  made_.returning.assign(books_.queues.size(), {});
  for (const auto& each : found) {
    if (!bound.is_bound(each.job)) continue;  // The member was found twice.
    const auto gang = t_.jobs[each.job].gang;
    if (gang != none && !one_queue_per_gang(gang)) return std::move(made_);
    evict_one(books_.of(each.job), each);
  }
  set_members();
  for (auto& list : made_.returning)
    std::sort(list.begin(), list.end(), [&](const offer& a, const offer& b) {
      const auto x = t_.jobs[a.job].running;
      const auto y = t_.jobs[b.job].running;
      if (x != y) return x;
      return x ? running_before(t_, a.job, b.job) : queued_before(t_, a.job, b.job);
    });
  return std::move(made_);
}

}  // namespace argosy::scheduling::engine
