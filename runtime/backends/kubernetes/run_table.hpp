// SPDX-License-Identifier: Apache-2.0
// Runs by their keys, and in the order in which something is due for them, so that a turn of the
// backend looks at those alone for which something is. Pure.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/model/job.hpp"

namespace argosy::backends {

/// `Due` tells of a Run when something is due for it next; boot_time::max(): nothing is. It has to
/// depend on the run alone.
template <class Run, class Due>
class run_table {
 public:
  /// The run, which the caller may change until the table is asked what is due; null if there is
  /// none.
  [[nodiscard]] Run* find(const model::run_key& key) {
    const auto found = entries_.find(key);
    return found == entries_.end() ? nullptr : &touch(*found);
  }
  [[nodiscard]] const Run* peek(const model::run_key& key) const {
    const auto found = entries_.find(key);
    return found == entries_.end() ? nullptr : &found->second.run;
  }
  /// The run, as find() returns it, and whether it is new.
  std::pair<Run*, bool> add(const model::run_key& key) {
    const auto [at, is_new] = entries_.try_emplace(key);
    return {&touch(*at), is_new};
  }
  void erase(const model::run_key& key) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return;
    order_.erase({found->second.due, key});
    entries_.erase(found);
  }

  /// Calls `take(key, run)` for the runs of which `wanted(key, run)` holds, in the order of their
  /// keys. Neither may add or erase runs.
  template <class Wanted, class Take>
  void change(Wanted wanted, Take take) {
    for (auto& each : entries_)
      if (wanted(each.first, std::as_const(each.second.run))) take(each.first, touch(each));
  }

  /// The runs for which something is due by now, that which has been due for longest first.
  [[nodiscard]] std::vector<model::run_key> due(boot_time now) {
    settle();
    std::vector<model::run_key> out;
    for (const auto& [when, key] : order_) {
      if (when > now) break;
      out.push_back(key);
    }
    return out;
  }
  /// When something is due next.
  [[nodiscard]] boot_time next_due() {
    settle();
    return order_.empty() ? boot_time::max() : order_.begin()->first;
  }

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

 private:
  struct entry {
    Run run;
    boot_time due = boot_time::max();  ///< As it stands in order_.
    bool touched = false;
  };
  using entries = std::map<model::run_key, entry>;

  Run& touch(typename entries::value_type& each) {
    if (!std::exchange(each.second.touched, true)) touched_.push_back(each.first);
    return each.second.run;
  }

  /// Brings order_ up to date.
  void settle() {
    for (const auto& key : touched_) {
      const auto found = entries_.find(key);
      if (found == entries_.end()) continue;
      auto& one = found->second;
      one.touched = false;
      const auto due = Due{}(std::as_const(one.run));
      if (due == one.due) continue;
      order_.erase({std::exchange(one.due, due), key});
      if (due != boot_time::max()) order_.emplace(due, key);
    }
    touched_.clear();
  }

  entries entries_;
  std::vector<model::run_key> touched_;
  std::set<std::pair<boot_time, model::run_key>> order_;
};

}  // namespace argosy::backends
