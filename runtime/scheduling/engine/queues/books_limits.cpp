// SPDX-License-Identifier: Apache-2.0
// This file defines the limits of queues and rounds: how much they may use, and how fast they may
// take more.
#include <algorithm>
#include <limits>

#include "runtime/scheduling/engine/queues/books.hpp"

namespace argosy::scheduling::engine {

std::uint32_t books::dim_of(std::string_view name) const {
  const auto at = std::find(t_.dim_names.begin(), t_.dim_names.end(), name);
  return at == t_.dim_names.end() ? none : static_cast<std::uint32_t>(at - t_.dim_names.begin());
}

std::vector<std::int64_t> books::fraction(const fraction_list& shares) const {
  std::vector<std::int64_t> amounts(dims, unlimited);
  for (const auto& [name, share] : shares) {
    const auto d = dim_of(name);
    if (d == none) continue;
    const auto limit = static_cast<double>(total[d]) * share;
    amounts[d] = share == 1.0     ? total[d]
                 : limit < 9.0e18 ? static_cast<std::int64_t>(limit)
                                  : unlimited;
  }
  return amounts;
}

void books::set_limits(queue_book& book, const queue_record& queue, std::uint32_t pool) {
  if (conf_.queue_totals && !queue.total_limit.empty())
    book.total_limit = fraction(queue.total_limit);
  const auto unlimited = [](const auto& of) { return of.queue_limit.empty(); };
  if (queue.limits.empty() && std::all_of(conf_.classes.begin(), conf_.classes.end(), unlimited))
    return;
  const auto& pool_name = t_.pools.name(pool);
  std::vector<fraction_list> by_class(conf_.classes.size());
  bool any = false;
  // The limits of the class come first, then those of the queue, then those of the queue in this
  // pool. Later ones win.
  const auto merge = [&](std::size_t number, const fraction_list& from) {
    for (const auto& [name, share] : from) {
      auto& list = by_class[number];
      const auto at = std::find_if(list.begin(), list.end(),
                                   [&](const auto& entry) { return entry.first == name; });
      if (at == list.end())
        list.emplace_back(name, share);
      else
        at->second = share;
      any = true;
    }
  };
  for (std::size_t i = 0; i < conf_.classes.size(); ++i) merge(i, conf_.classes[i].queue_limit);
  for (const bool for_pool : {false, true}) {
    for (const auto& limit : queue.limits) {
      if (limit.pool.empty() == for_pool || (for_pool && limit.pool != pool_name)) continue;
      for (std::size_t i = 0; i < conf_.classes.size(); ++i)
        if (conf_.classes[i].name == limit.priority_class) merge(i, limit.fractions);
    }
  }
  if (!any) return;
  for (const auto& list : by_class) {
    const auto amounts = fraction(list);
    book.limits.insert(book.limits.end(), amounts.begin(), amounts.end());
  }
}

bool books::over_round_cap() const {
  for (std::uint32_t d = 0; d < dims; ++d)
    if (started[d] > round_cap[d]) return true;
  return false;
}

bool books::over_limit(std::uint32_t queue, std::uint32_t class_name) const {
  const auto& book = queues[queue];
  if (book.limits.empty() || class_name >= conf_.classes.size()) return false;
  for (std::uint32_t d = 0; d < dims; ++d) {
    const auto at = class_name * dims + d;
    if (book.by_class[at] > book.limits[at]) return true;
  }
  return false;
}

bool books::over_total(std::uint32_t queue, const std::int64_t* held,
                       const std::vector<std::int64_t>& more) const {
  const auto& most = queues[queue].total_limit;
  for (std::uint32_t d = 0; d < dims && !most.empty(); ++d)
    if (more[d] > 0 && held[d] + more[d] > most[d]) return true;
  return false;
}

bool books::total_lost(std::uint32_t queue, const std::int64_t* held) const {
  const auto& book = queues[queue];
  for (std::uint32_t d = 0; d < dims && !book.total_limit.empty(); ++d)
    if (held[d] > std::max(book.total_limit[d], book.used_before[d])) return true;
  return false;
}

bool books::caps_totals() const {
  return std::any_of(queues.begin(), queues.end(),
                     [](const queue_book& book) { return !book.total_limit.empty(); });
}

std::vector<double> books::bucket(const fraction_list& burst, const fraction_list& left) const {
  std::vector<double> there;
  if (burst.empty()) return there;
  there.assign(dims, std::numeric_limits<double>::infinity());
  for (const auto& [name, units] : burst)
    if (const auto d = dim_of(name); d != none) there[d] = units * steps_of_unit(conf_, name);
  for (const auto& [name, steps] : left)
    if (const auto d = dim_of(name); d != none) there[d] = std::min(there[d], steps);
  return there;
}

bool books::lacks_tokens(const std::vector<double>& there, const std::vector<std::int64_t>& more) {
  for (std::size_t d = 0; d < there.size(); ++d)
    if (more[d] > 0 && there[d] <= 0) return true;
  return false;
}

void books::take_tokens(std::uint32_t queue, std::uint32_t shape) {
  auto& book = queues[queue];
  const auto take = [&](std::vector<double>& from) {
    for (std::size_t d = 0; d < from.size(); ++d)
      from[d] -= static_cast<double>(t_.amounts(shape)[d]);
  };
  take(resource_tokens);
  take(book.resource_tokens);
  if (resource_tokens.empty() && book.resource_tokens.empty()) return;
  book.resources_taken.resize(dims, 0);
  for (std::uint32_t d = 0; d < dims; ++d) book.resources_taken[d] += t_.amounts(shape)[d];
}

}  // namespace argosy::scheduling::engine
