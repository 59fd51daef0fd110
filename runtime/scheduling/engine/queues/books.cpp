// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/queues/books.hpp"

#include <algorithm>
#include <numeric>

namespace argosy::scheduling::engine {

namespace {

/// What nobody's queue holds is added to what queues use.
constexpr std::int64_t stray_limit = pool_limit / 2;

std::int64_t clamp(wide amount, std::int64_t limit = pool_limit) {
  return static_cast<std::int64_t>(std::clamp<wide>(amount, -limit, limit));
}

}  // namespace

bool in_pool(const tables& t, std::uint32_t pool_set, std::uint32_t pool) {
  const auto& set = t.pool_sets[pool_set];
  return set.empty() || std::binary_search(set.begin(), set.end(), pool);
}

bool queue_book::protects(const config& conf, double cost) const {
  const auto share = conf.protect_uncapped ? uncapped : std::max(capped, fair);
  return !(cost / share > conf.protected_fraction);
}

books::books(const node_columns& nodes, const round_params& params, std::uint32_t pool)
    : dims(nodes.t.dims), nodes_(nodes), t_(nodes.t), conf_(nodes.conf) {
  total = nodes.pool_total();
  for (const auto& floating : conf_.floating) {
    const auto here = floating.pools.empty() ||
                      std::find(floating.pools.begin(), floating.pools.end(), params.pool) !=
                          floating.pools.end();
    total.push_back(here ? floating.total : 0);
  }
  for (const auto& name : t_.dim_names) multiplier_.push_back(weight_of(conf_, name));
  weigh_in_cores();
  if (conf_.cost != cost_kind::dominant_resource) weigh();
  used_all.assign(dims, 0);
  started.assign(dims, 0);
  round_cap = fraction(conf_.max_fraction_to_schedule);
  tokens = params.tokens;
  resource_tokens = bucket(conf_.resource_burst, params.resource_tokens);
  open(params, pool);
  sum_stopping(pool);
  bound_floating(pool);
  fill_water();
}

std::int64_t books::total_cpu() const {
  const auto at = std::find(t_.dim_names.begin(), t_.dim_names.end(), "cpu");
  return at == t_.dim_names.end() ? 0 : total[static_cast<std::size_t>(at - t_.dim_names.begin())];
}

void books::weigh_in_cores() {
  cores_.assign(dims, 0);
  const auto at = std::find(t_.dim_names.begin(), t_.dim_names.end(), "cpu") - t_.dim_names.begin();
  const auto cpu = static_cast<std::size_t>(at);
  // In a pool without cpu the whole of a resource counts as one.
  auto whole = 1.0;
  if (cpu < conf_.resources.size() && total[cpu] > 0)
    whole = static_cast<double>(total[cpu]) *
            static_cast<double>(conf_.resources[cpu].milli_per_step) / 1000.0;
  for (std::uint32_t d = 0; d < dims; ++d)
    if (total[d] > 0) cores_[d] = multiplier_[d] * whole / static_cast<double>(total[d]);
}

void books::weigh() {
  const auto cpu = total_cpu();
  const auto scale = cpu > 0 ? static_cast<double>(cpu) : 1.0;
  for (std::uint32_t d = 0; d < dims; ++d) {
    const auto milli = d < conf_.resources.size() ? conf_.resources[d].milli_per_step : 1000;
    // A resource is worth more than cpu by as much as it is scarcer: usage = sum of used / (total /
    // total cpu).
    if (conf_.cost == cost_kind::weighted_sum)
      multiplier_[d] *= static_cast<double>(milli) / 1000.0;
    else
      multiplier_[d] *= total[d] > 0 ? scale / static_cast<double>(total[d]) : 0.0;
    worth_ += multiplier_[d] * static_cast<double>(total[d]);
  }
  if (worth_ > 0) return;
  // The pool has nothing that counts, so that the whole of each resource is worth the same.
  for (std::uint32_t d = 0; d < dims; ++d) {
    multiplier_[d] = total[d] > 0 ? 1.0 / static_cast<double>(total[d]) : 0.0;
    worth_ += multiplier_[d] * static_cast<double>(total[d]);
  }
}

template <class Amount>
double books::cost_of(Amount amount) const {
  if (conf_.cost == cost_kind::dominant_resource) {
    double highest = 0;
    for (std::uint32_t d = 0; d < dims; ++d) {
      if (total[d] == 0) continue;
      const auto share = static_cast<double>(amount(d)) / static_cast<double>(total[d]);
      highest = std::max(highest, multiplier_[d] * share);
    }
    return highest;
  }
  // The cost is a sum over resources, each in its own unit, as a part of what the pool is worth.
  double sum = 0;
  for (std::uint32_t d = 0; d < dims; ++d) sum += multiplier_[d] * static_cast<double>(amount(d));
  return worth_ > 0 ? sum / worth_ : 0;
}

double books::cost(const std::int64_t* amount) const {
  return cost_of([&](std::uint32_t d) { return amount[d]; });
}

double books::cost(const std::int64_t* a, const std::int64_t* b) const {
  return cost_of([&](std::uint32_t d) { return a[d] + b[d]; });
}

double books::cores(const std::int64_t* amount) const {
  double sum = 0;
  for (std::uint32_t d = 0; d < dims; ++d) sum += cores_[d] * static_cast<double>(amount[d]);
  return sum;
}

/// A class that is not configured acts as the default class.
std::int32_t books::class_priority(std::uint32_t class_name) const {
  if (class_name < conf_.classes.size()) return conf_.classes[class_name].priority;
  for (const auto& type : conf_.classes)
    if (type.name == conf_.default_class) return type.priority;
  return 0;
}

std::vector<books::queue_params> books::by_queue(const round_params& params) const {
  std::vector<queue_params> carried(t_.queues.size());
  queue_params unknown;
  const auto of = [&](const std::string& name) -> queue_params& {
    const auto found = t_.queue_numbers.find(name);
    return found == t_.queue_numbers.end() ? unknown : carried[found->second];
  };
  for (auto& queue : carried) queue.tokens = conf_.queue_burst;
  for (const auto& [name, left] : params.queue_tokens) of(name).tokens = left;
  for (const auto& [name, left] : params.queue_resource_tokens) of(name).resource_tokens = left;
  for (const auto& [name, usage] : params.usage_priority) {
    auto& queue = of(name);
    queue.usage = std::max(queue.usage, usage);
  }
  for (const auto& [name, amounts] : params.penalties) {
    auto& penalty = of(name).penalty;
    penalty.resize(dims, 0);
    for (const auto& [resource, amount] : amounts) {
      const auto at = std::find(t_.dim_names.begin(), t_.dim_names.end(), resource);
      if (at != t_.dim_names.end())
        penalty[static_cast<std::size_t>(at - t_.dim_names.begin())] += amount;
    }
  }
  return carried;
}

/// The sums are kept by class name, since limits cap what is wanted in each class.
class books::class_sums {
 public:
  explicit class_sums(std::uint32_t dims) : dims_(dims) {}

  void clear() {
    names_.clear();
    sums_.clear();
  }
  void add(const usage_record& usage) {
    const auto found = std::find(names_.begin(), names_.end(), usage.class_name);
    const auto at = static_cast<std::size_t>(found - names_.begin()) * dims_;
    if (found == names_.end()) {
      names_.push_back(usage.class_name);
      sums_.resize(sums_.size() + dims_, 0);
    }
    for (std::uint32_t d = 0; d < dims_; ++d) sums_[at + d] += usage.sum[d];
  }
  /// What is wanted of a resource, within the limits of the book.
  [[nodiscard]] wide demand(const queue_book& book, std::uint32_t d) const {
    wide out = 0;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const auto limit = std::size_t{names_[i]} * dims_ + d;
      const auto sum = sums_[i * dims_ + d];
      out += limit < book.limits.size() ? std::min<wide>(sum, book.limits[limit]) : sum;
    }
    return book.total_limit.empty() ? out : std::min<wide>(out, book.total_limit[d]);
  }

 private:
  std::uint32_t dims_;
  std::vector<std::uint32_t> names_;
  std::vector<wide> sums_;  ///< The amounts of each of `names_`.
};

void books::open_queue(std::uint32_t slot, queue_params& carried, std::uint32_t pool,
                       class_sums& sums) {
  const auto& queue = t_.queues[slot];
  bool live = false;
  for (const auto& usage : queue.running_usage) live = live || usage.pool == pool;
  for (const auto& usage : queue.queued_usage) live = live || in_pool(t_, usage.pool, pool);
  if (!queue.configured || !live) return;

  dense[slot] = static_cast<std::uint32_t>(queues.size());
  auto& book = queues.emplace_back();
  book.slot = slot;
  book.cordoned = queue.cordoned;
  weigh_queue(book, carried);
  book.used.assign(dims, 0);
  book.penalty = std::move(carried.penalty);
  book.by_class.assign(conf_.classes.size() * dims, 0);
  book.tokens = carried.tokens;
  book.resource_tokens = bucket(conf_.queue_resource_burst, carried.resource_tokens);
  set_limits(book, queue, pool);
  sums.clear();
  for (const auto& usage : queue.running_usage) {
    if (usage.pool != pool) continue;
    sums.add(usage);
    for (std::uint32_t d = 0; d < dims; ++d) {
      overflowed_ = overflowed_ || usage.sum[d] > pool_limit;
      book.used[d] = clamp(wide{book.used[d]} + usage.sum[d]);
      if (usage.class_name < conf_.classes.size())
        book.by_class[usage.class_name * dims + d] += clamp(usage.sum[d]);
    }
  }
  if (!queue.cordoned) {
    for (const auto& usage : queue.queued_usage) {
      if (!in_pool(t_, usage.pool, pool)) continue;
      sums.add(usage);
      book.queued_at.push_back(class_priority(usage.class_name));
    }
  }
  book.wanted.reserve(dims);
  for (std::uint32_t d = 0; d < dims; ++d) book.wanted.push_back(clamp(sums.demand(book, d)));
  const auto empty =
      std::all_of(total.begin(), total.end(), [](auto amount) { return amount == 0; });
  book.demand = empty ? 1.0 : cost(book.wanted.data());
  book.used_before = book.used;
  for (std::uint32_t d = 0; d < dims; ++d) used_all[d] = clamp(wide{used_all[d]} + book.used[d]);
}

void books::open(const round_params& params, std::uint32_t pool) {
  dense.assign(t_.queues.size(), none);
  auto carried = by_queue(params);
  queues.reserve(t_.queues_by_name.size());
  class_sums sums{dims};
  for (const auto slot : t_.queues_by_name) open_queue(slot, carried[slot], pool, sums);
  if (!nodes_.guests().empty()) open_away(carried);
}

void books::sum_stopping(std::uint32_t pool) {
  stopping_.assign(dims, 0);
  if (conf_.base == preset::current) return;
  for (const auto& usage : t_.stopping_usage)
    for (std::uint32_t d = 0; d < dims && usage.pool == pool; ++d)
      stopping_[d] = clamp(wide{stopping_[d]} + usage.sum[d], stray_limit);
}

void books::bound_floating(std::uint32_t pool) {
  strays_.assign(dims, 0);
  for (auto d = t_.node_dims; d < dims; ++d) strays_[d] = stopping_[d];
  floating_most_ = total;
  if (!conf_.return_room_only) return;
  for (const auto& queue : t_.queues) {
    if (queue.configured) continue;
    for (const auto& usage : queue.running_usage)
      for (auto d = t_.node_dims; d < dims && usage.pool == pool; ++d)
        strays_[d] = clamp(wide{strays_[d]} + usage.sum[d], stray_limit);
  }
  for (auto d = t_.node_dims; d < dims; ++d)
    floating_most_[d] = std::max(total[d], used_all[d] + strays_[d]);
}

void books::weigh_queue(queue_book& book, const queue_params& carried) const {
  const auto factor = t_.queues[book.slot].factor;
  book.weight = factor > 0 ? 1.0 / factor : 1.0;
  if (conf_.usage_priority) book.usage = carried.usage;
  // Slices and lottery look at the usage themselves.
  book.turn_weight = usage_moves_turns(conf_) ? book.weight / book.usage : book.weight;
}

void books::open_away(const std::vector<queue_params>& carried) {
  away.assign(t_.queues.size(), none);
  for (const auto job : nodes_.guests()) {
    const auto& record = t_.jobs[job];
    const auto& queue = t_.queues[record.queue];
    if (!queue.configured) continue;
    auto& number = away[record.queue];
    if (number == none) {
      number = static_cast<std::uint32_t>(queues.size());
      auto& made = queues.emplace_back();
      made.slot = record.queue;
      made.away = true;
      made.cordoned = queue.cordoned;
      weigh_queue(made, carried[record.queue]);
      made.used.assign(dims, 0);
      made.wanted.assign(dims, 0);
      made.by_class.assign(conf_.classes.size() * dims, 0);
    }
    charge(number, record.shape, +1, false);
  }
  for (auto& book : queues)
    if (book.away) book.used_before = book.used;
  std::sort(queues.begin(), queues.end(),
            [&](const auto& a, const auto& b) { return name_of(a) < name_of(b); });
  for (std::uint32_t q = 0; q < queues.size(); ++q)
    (queues[q].away ? away : dense)[queues[q].slot] = q;
}

void books::fill_water() {
  // The order of summing matters for the result. It is Armada's, in which the queues were added,
  // under `current`, and else the order of names.
  double whole = 0;
  if (conf_.base == preset::current) {
    for (const auto number : dense)
      if (number != none) whole += queues[number].weight;
    for (const auto& queue : queues)
      if (queue.away) whole += queue.weight;
  } else {
    for (const auto& queue : queues) whole += queue.weight;
  }
  for (auto& queue : queues) queue.fair = queue.weight / whole;
  std::vector<double> spare(queues.size(), 0.0);
  std::vector<std::uint8_t> sated(queues.size(), 0);
  double left = 1.0;
  for (int turn = 0; turn < 10 && left > 0.01; ++turn) {
    double hungry = 0;
    for (std::size_t q = 0; q < queues.size(); ++q)
      if (sated[q] == 0) hungry += queues[q].weight;
    for (std::size_t q = 0; q < queues.size(); ++q) {
      const auto weight = queues[q].weight;
      const auto part = weight / (sated[q] != 0 ? hungry + weight : hungry);
      queues[q].uncapped += part * (left - spare[q]);
    }
    if (hungry <= 0) break;
    for (std::size_t q = 0; q < queues.size(); ++q)
      if (sated[q] == 0) queues[q].capped += queues[q].weight / hungry * left;
    left = 0;
    for (std::size_t q = 0; q < queues.size(); ++q) {
      spare[q] = std::max(0.0, queues[q].capped - queues[q].demand);
      if (spare[q] <= 0) continue;
      queues[q].capped = queues[q].demand;
      sated[q] = 1;
      left += spare[q];
    }
  }
}

std::vector<std::int64_t> books::unused() const {
  auto amounts = total;
  for (std::uint32_t d = 0; d < dims; ++d)
    amounts[d] = std::max<std::int64_t>(0, amounts[d] - used_all[d] - stopping_[d]);
  return amounts;
}

void books::charge(std::uint32_t queue, std::uint32_t shape, std::int64_t sign, bool is_new) {
  auto& book = queues[queue];
  const auto* request = t_.amounts(shape);
  const auto class_name = t_.shapes[shape].class_name;
  const auto counted = class_name < conf_.classes.size();
  for (std::uint32_t d = 0; d < dims; ++d) {
    const auto amount = sign * request[d];
    book.used[d] += amount;
    used_all[d] += amount;
    if (counted) book.by_class[class_name * dims + d] += amount;
    if (is_new) started[d] += amount;
  }
}

bool books::floating_short() const {
  for (auto d = t_.node_dims; d < dims; ++d)
    if (used_all[d] + strays_[d] > total[d]) return true;
  return false;
}

bool books::floating_lost() const {
  for (auto d = t_.node_dims; d < dims; ++d)
    if (floating_lost(d)) return true;
  return false;
}

}  // namespace argosy::scheduling::engine
