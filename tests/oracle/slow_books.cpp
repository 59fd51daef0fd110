// SPDX-License-Identifier: Apache-2.0
// This part of the slow oracle knows the facts of the world, and keeps the queues' sums and shares.
#include <algorithm>

#include "tests/oracle/slow_parts.hpp"

namespace argosy::oracle {

preset_row row_of(kind preset) {
  preset_row row;
  switch (preset) {
    case kind::argosy:
      break;
    case kind::unified:
      row.protected_fraction = 0;
      row.evicted_first = false;
      row.fewest_victims = false;
      row.victims = preset_row::victim_rule::any;
      break;
    case kind::classic:
      row.cost = preset_row::cost_rule::weighted;
      row.class_first = false;
      row.class_in_queue = false;
      row.asks_victims = false;
      row.sole_user_first = true;
      row.evicts_contested = true;
      row.victims = preset_row::victim_rule::preemptible;
      row.one_cluster = true;
      break;
    case kind::lottery:
      row.cost = preset_row::cost_rule::per_cpu;
      row.slices = true;
      row.usage_priority = true;
      row.evicts = false;
      row.class_first = false;
      row.class_in_queue = false;
      row.asks_victims = false;
      row.victims = preset_row::victim_rule::none;
      row.one_cluster = true;
      break;
  }
  return row;
}

preset_row row_of(const settings& rules) {
  const auto from = [&](column which) { return row_of(rules.of(which)); };
  preset_row row;
  row.cost = from(column::cost).cost;
  row.slices = from(column::selection).slices;
  row.usage_priority = from(column::selection).usage_priority;
  row.evicts = from(column::eviction).evicts;
  row.evicts_contested = from(column::eviction).evicts_contested;
  row.protected_fraction = from(column::eviction).protected_fraction;
  row.evicted_first = from(column::evicted_first).evicted_first;
  row.class_first = from(column::queue_order).class_first;
  row.class_in_queue = from(column::job_order).class_in_queue;
  row.asks_victims = from(column::nodes).asks_victims;
  row.sole_user_first = from(column::nodes).sole_user_first;
  row.fewest_victims = from(column::nodes).fewest_victims;
  row.victims = from(column::nodes).victims;
  row.one_cluster = from(column::gangs).one_cluster;
  return row;
}

amounts plus(amounts a, const amounts& b, std::int64_t sign) {
  for (std::size_t i = 0; i < all_amounts; ++i) a[i] += sign * b[i];
  return a;
}

bool fits(const amounts& need, const amounts& room) {
  // A job that asks for none of a resource is not kept away by its lack.
  for (std::size_t i = 0; i < node_amounts; ++i)
    if (need[i] > 0 && need[i] > room[i]) return false;
  return true;
}

slow_round::slow_round(const world& w) : w_(w), rules_(row_of(w.rules)) {
  now_.resize(w.jobs.size());
  come_back_.resize(w.jobs.size());
  for (std::size_t j = 0; j < w.jobs.size(); ++j)
    if (w.jobs[j].node)
      now_[j] = {runs(j) ? place::bound : place::leaving, *w.jobs[j].node, w.jobs[j].run_priority};
  for (std::size_t n = 0; n < w.nodes.size(); ++n) {
    bool any = false;
    for (std::size_t j = 0; j < w.jobs.size(); ++j) any = any || (runs(j) && w.jobs[j].node == n);
    if (w.nodes[n].unschedulable && !any) continue;
    nodes_.push_back(n);
    total_ = plus(total_, counted(n));
  }
  total_[node_amounts] = w.licences;
  tokens_ = w.rules.tokens;
  preemption_tokens_ = w.rules.preemption_tokens;
  licences_before_ = licences_taken(now_);
  for (std::size_t j = 0; j < w.jobs.size(); ++j)
    stays_.push_back(rules_.victims == preset_row::victim_rule::none || w.rules.no_urgency ||
                     (runs(j) ? keeps_urgent_place(j) : !may_be_pushed(class_of(j))));
  open_accounts();
  share_out();
}

const class_row& slow_round::class_of(std::size_t job) const {
  const class_row* standard = nullptr;
  for (const auto& c : w_.classes) {
    if (c.name == w_.jobs[job].class_name) return c;
    if (c.name == w_.default_class) standard = &c;
  }
  return *standard;
}

bool slow_round::runs(std::size_t job) const {
  return w_.jobs[job].node && !w_.jobs[job].stopping;
}

bool slow_round::known_queue(const std::string& name) const {
  return number_of_queue_.contains(name);
}

std::vector<std::size_t> slow_round::mates(std::size_t job) const {
  const auto& own = w_.jobs[job];
  if (own.gang.empty()) return {job};
  std::vector<std::size_t> list;
  for (std::size_t j = 0; j < w_.jobs.size(); ++j)
    if (w_.jobs[j].gang == own.gang && w_.jobs[j].queue == own.queue && (runs(j) || is_queued(j)))
      list.push_back(j);
  return list;
}

bool slow_round::may_be_pushed(const class_row& c) const {
  switch (rules_.victims) {
    case preset_row::victim_rule::flagged:
      return c.urgent;
    case preset_row::victim_rule::preemptible:
      return c.fair;
    case preset_row::victim_rule::any:
      return true;
    case preset_row::victim_rule::none:
      break;
  }
  return false;
}

/// Whether classes keep the job from being evicted: its own, or that of a running member of its
/// gang, by what they protect or because a run has not lasted long enough.
/// Every running member counts, since a gang of which one member is protected stays as a whole.
bool slow_round::keeps_balance_place(std::size_t job) const {
  bool keeps = !class_of(job).fair;
  for (const auto mate : mates(job)) {
    if (!runs(mate)) continue;
    const auto age = w_.rules.now - w_.jobs[mate].created;
    const auto least = class_of(mate).least_run;
    keeps = keeps || !class_of(mate).fair || (least > 0 && age < least);
  }
  return keeps;
}

/// Whether classes keep it from being pushed out for urgency, in the same way.
bool slow_round::keeps_urgent_place(std::size_t job) const {
  bool keeps = !may_be_pushed(class_of(job));
  for (const auto mate : mates(job))
    keeps = keeps || (runs(mate) && !may_be_pushed(class_of(mate)));
  return keeps;
}

/// Returns what the node has for jobs of the pool.
amounts slow_round::allocatable(std::size_t node) const {
  amounts left{};
  for (std::size_t i = 0; i < node_amounts; ++i)
    left[i] = std::max<std::int64_t>(0, w_.nodes[node].total[i] - w_.nodes[node].held[i]);
  return left;
}

/// Whether the job could run on the node, at home or away, if the node were empty and open.
bool slow_round::could_use(std::size_t job, std::size_t node) const {
  const auto& j = w_.jobs[job];
  if (!fits(j.request, allocatable(node))) return false;
  for (const auto i : w_.rules.unscheduled)
    if (j.request[i] != 0) return false;
  auto tolerated = j.tolerations;
  tolerated.insert(tolerated.end(), w_.rules.default_tolerations.begin(),
                   w_.rules.default_tolerations.end());
  if (suits_open(job, node, tolerated, {})) return true;
  if (w_.rules.no_away || (w_.rules.no_gang_away && !j.gang.empty())) return false;
  for (const auto& away : class_of(job).away) {
    auto there = tolerated;
    for (const auto& t : away.taints) there.push_back({t.key, t.value, t.value == "*", t.effect});
    if (suits_open(job, node, there, {})) return true;
  }
  return false;
}

/// Whether a job that runs, or waits in a queue that is not cordoned, could use the node.
bool slow_round::has_competitor(std::size_t node) const {
  for (std::size_t j = 0; j < w_.jobs.size(); ++j)
    for (const auto& q : w_.queues)
      if (q.name == w_.jobs[j].queue && (runs(j) || (is_queued(j) && !q.cordoned)) &&
          could_use(j, node))
        return true;
  return false;
}

/// Returns how much of a node counts. One that takes no new jobs, or that no competing job could
/// use, counts with what runs on it.
amounts slow_round::counted(std::size_t node) const {
  const auto& n = w_.nodes[node];
  const auto all = allocatable(node);
  const auto& closed = w_.rules.closed;
  const bool open = !n.unschedulable && std::count(closed.begin(), closed.end(), n.cluster) == 0;
  if (open && has_competitor(node)) return all;
  amounts bound{};
  for (std::size_t j = 0; j < w_.jobs.size(); ++j)
    if (runs(j) && w_.jobs[j].node == node) bound = plus(bound, w_.jobs[j].request);
  amounts out{};
  for (std::size_t i = 0; i < node_amounts; ++i) out[i] = std::min(all[i], bound[i]);
  return out;
}

/// Returns a text that is equal for jobs that fit on the same nodes. When one of them fitted
/// nowhere, the others are not tried.
std::string slow_round::memo_key(std::size_t job) const {
  const auto& j = w_.jobs[job];
  std::string key = j.class_name + "/";
  for (const auto amount : j.request) key += std::to_string(amount) + "/";
  for (const auto& [label, value] : j.selector) key += label + "=" + value + "/";
  auto tolerations = j.tolerations;
  std::sort(tolerations.begin(), tolerations.end());
  for (const auto& t : tolerations)
    key += "t" + t.key + "=" + t.value + (t.exists ? "*" : "") + ":" + t.effect + "/";
  for (const auto& term : j.affinity) {
    key += "a";
    for (const auto& rule : term) {
      key += rule.label + rule.op;
      for (const auto& value : rule.values) key += "|" + value;
      key += ";";
    }
  }
  return key;
}

double slow_round::cost(const amounts& a) const {
  if (rules_.cost == preset_row::cost_rule::dominant) {
    double highest = 0;
    for (std::size_t i = 0; i < all_amounts; ++i)
      if (total_[i] != 0)
        highest = std::max(highest, static_cast<double>(a[i]) / static_cast<double>(total_[i]));
    return highest;
  }
  std::array<double, all_amounts> worth{};
  double whole = 0;
  // Under `weighted` a core, which is 1000 steps, counts as much as a gpu, and memory does not
  // count.
  for (std::size_t i = 0; i < all_amounts; ++i) {
    if (rules_.cost == preset_row::cost_rule::weighted)
      worth[i] = i == 0 ? 0.001 : i == 2 ? 1.0 : 0.0;
    else if (total_[i] > 0)
      worth[i] =
          (total_[0] > 0 ? static_cast<double>(total_[0]) : 1.0) / static_cast<double>(total_[i]);
    whole += worth[i] * static_cast<double>(total_[i]);
  }
  if (whole == 0) {
    // The pool has nothing that counts, so that all of one resource is worth as much as all of
    // another.
    for (std::size_t i = 0; i < all_amounts; ++i) {
      worth[i] = total_[i] > 0 ? 1.0 / static_cast<double>(total_[i]) : 0.0;
      whole += worth[i] * static_cast<double>(total_[i]);
    }
  }
  double sum = 0;
  for (std::size_t i = 0; i < all_amounts; ++i) sum += worth[i] * static_cast<double>(a[i]);
  return whole > 0 ? sum / whole : 0;
}

/// Returns these fractions of the pool as amounts. What is not named is unlimited.
amounts slow_round::fraction_of(const std::vector<std::pair<std::size_t, double>>& of) const {
  amounts list;
  list.fill(std::numeric_limits<std::int64_t>::max());
  for (const auto& [i, fraction] : of)
    list[i] = fraction == 1.0
                  ? total_[i]
                  : static_cast<std::int64_t>(static_cast<double>(total_[i]) * fraction);
  return list;
}

/// Returns what the queue's jobs of a class may use together.
amounts slow_round::class_limit(const account& a, const std::string& class_name) const {
  std::vector<std::pair<std::size_t, double>> of;
  for (const auto& c : w_.classes)
    if (c.name == class_name)
      for (const auto& l : a.row->limits)
        if (l.class_name == class_name) of.emplace_back(l.amount, l.fraction);
  return fraction_of(of);
}

amounts slow_round::total_limit(const account& a) const {
  std::vector<std::pair<std::size_t, double>> of;
  for (const auto& l : a.row->total_limits) of.emplace_back(l.amount, l.fraction);
  return fraction_of(of);
}

/// Returns what the queue's jobs hold that run, are to start, or were evicted and may return.
amounts slow_round::held_by(const account& a, const picture& p) const {
  amounts sum{};
  for (std::size_t j = 0; j < p.size(); ++j)
    if (w_.jobs[j].queue == a.row->name &&
        (p[j].where == place::bound || p[j].where == place::evicted))
      sum = plus(sum, w_.jobs[j].request);
  return sum;
}

void slow_round::open_accounts() {
  std::map<std::string, const queue*> by_name;
  for (const auto& q : w_.queues)
    for (const auto& j : w_.jobs)
      if (j.queue == q.name && !j.stopping) by_name[q.name] = &q;
  for (const auto& [name, row] : by_name) {
    account a;
    a.row = row;
    a.weight = row->factor > 0 ? 1.0 / row->factor : 1.0;
    a.turn_weight = usage_orders() ? a.weight / std::max(0.5, row->usage) : a.weight;
    a.tokens = row->tokens.value_or(w_.rules.queue_burst);
    for (const auto& j : w_.jobs) {
      if (j.queue != name || !j.node || j.stopping) continue;
      a.used = plus(a.used, j.request);
      a.by_class[j.class_name] = plus(a.by_class[j.class_name], j.request);
    }
    a.used_before = a.used;
    set_demand(a);
    number_of_queue_[name] = accounts_.size();
    accounts_.push_back(a);
  }
}

void slow_round::set_demand(account& a) const {
  std::map<std::string, amounts> wanted;
  for (const auto& j : w_.jobs)
    if (j.queue == a.row->name && !j.stopping && (j.node || !a.row->cordoned))
      wanted[j.class_name] = plus(wanted[j.class_name], j.request);
  amounts sum{};
  for (const auto& [class_name, amount] : wanted) {
    const auto most = class_limit(a, class_name);
    for (std::size_t i = 0; i < all_amounts; ++i) sum[i] += std::min(amount[i], most[i]);
  }
  const auto together = total_limit(a);
  for (std::size_t i = 0; i < all_amounts; ++i) sum[i] = std::min(sum[i], together[i]);
  a.demand = total_ == amounts{} ? 1.0 : cost(sum);
}

/// Divides the pool by weight. What a queue does not want is divided again among the others, in at
/// most ten turns and for as long as more than a hundredth of the pool is left.
void slow_round::share_out() {
  double all = 0;
  for (const auto& a : accounts_) all += a.weight;
  for (auto& a : accounts_) a.fair = a.weight / all;
  std::vector<double> spare(accounts_.size(), 0);
  std::vector<bool> sated(accounts_.size(), false);
  double left = 1;
  for (int turn = 0; turn < 10 && left > 0.01; ++turn) {
    double hungry = 0;
    for (std::size_t q = 0; q < accounts_.size(); ++q)
      if (!sated[q]) hungry += accounts_[q].weight;
    for (std::size_t q = 0; q < accounts_.size(); ++q) {
      const auto weight = accounts_[q].weight;
      accounts_[q].uncapped += weight / (sated[q] ? hungry + weight : hungry) * (left - spare[q]);
    }
    if (hungry <= 0) return;
    for (std::size_t q = 0; q < accounts_.size(); ++q)
      if (!sated[q]) accounts_[q].capped += accounts_[q].weight / hungry * left;
    left = 0;
    for (std::size_t q = 0; q < accounts_.size(); ++q) {
      spare[q] = 0;
      if (accounts_[q].capped <= accounts_[q].demand) continue;
      spare[q] = accounts_[q].capped - accounts_[q].demand;
      accounts_[q].capped = accounts_[q].demand;
      sated[q] = true;
      left += spare[q];
    }
  }
}

/// Adds a job to the sums of its queue, or takes it off with a sign of -1. `starts` says that it
/// counts as newly started, which the cap of a round limits.
void slow_round::charge(std::size_t job, std::int64_t sign, bool starts) {
  const auto& j = w_.jobs[job];
  auto& a = accounts_[number_of_queue_.at(j.queue)];
  a.used = plus(a.used, j.request, sign);
  a.by_class[j.class_name] = plus(a.by_class[j.class_name], j.request, sign);
  if (starts) started_ = plus(started_, j.request, sign);
}

}  // namespace argosy::oracle
