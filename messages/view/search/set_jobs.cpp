// SPDX-License-Identifier: Apache-2.0
#include "messages/view/search/set_jobs.hpp"

#include <memory>
#include <utility>

#include "messages/view/job_set_counts.hpp"
#include "messages/view/search/conditions.hpp"
#include "messages/view/search/name_leaps.hpp"
#include "messages/view/search/postings.hpp"
#include "messages/view/view_keys.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::view {

namespace {

using model::job_condition;
using store::table;

using prefixes = std::optional<std::vector<std::string>>;

/// The sets of these names.
result<prefixes> named_sets(store::read_txn& txn, const job_condition& set,
                            const job_condition* queue, const prefix_bounds& bounds) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& of_queue) -> result<void> {
    for (const auto& name : set.texts) {
      auto prefix = job_set_prefix(of_queue, name);
      const auto there = txn.get(table::set_counts, prefix);
      if (!there) return fail(there.error());
      if (*there) out.push_back(std::move(prefix));
    }
    return {};
  };
  if (queue != nullptr) {
    for (const auto& name : queue->texts)
      if (auto added = add(name); !added) return fail(added.error());
  } else {
    const auto most = bounds.steps / std::max<std::size_t>(set.texts.size(), 1);
    const auto all = each_name(txn, table::set_counts, {}, {}, most, add);
    if (!all) return fail(all.error());
    if (!*all) return prefixes{};
  }
  return out.size() > bounds.prefixes ? prefixes{} : prefixes{std::move(out)};
}

/// The sets whose names have to be read to judge them.
result<prefixes> matching_sets(store::read_txn& txn, const job_condition& set,
                               const job_condition* queue, const prefix_bounds& bounds) {
  std::vector<std::string> out;
  std::size_t steps = 0;
  const auto add_all = [&](const std::string& keys) {
    result<void> outcome;
    auto scanned = store::scan(txn, table::set_counts, keys, [&](const store::entry& entry) {
      if (++steps > bounds.steps || out.size() > bounds.prefixes) return false;
      const auto counts = decode_counts(entry);
      if (counts) {
        job_facts facts;
        facts.job_set = counts->job_set;
        const auto met = meets(set, facts);
        if (met && *met) out.emplace_back(entry.key);
        if (!met) outcome = fail(met.error());
      } else {
        outcome = fail(counts.error());
      }
      return outcome.has_value();
    });
    return scanned ? outcome : scanned;
  };
  if (queue == nullptr) {
    if (auto added = add_all({}); !added) return fail(added.error());
  } else {
    for (const auto& name : queue->texts)
      if (auto added = add_all(name + '\0'); !added) return fail(added.error());
  }
  return steps > bounds.steps || out.size() > bounds.prefixes ? prefixes{}
                                                              : prefixes{std::move(out)};
}

}  // namespace

result<prefixes> set_prefixes(store::read_txn& txn, const job_condition& set,
                              const job_condition* queue, const prefix_bounds& bounds) {
  return set.match == model::job_match::any_of ? named_sets(txn, set, queue, bounds)
                                               : matching_sets(txn, set, queue, bounds);
}

result<prefixes> ended_prefixes(store::read_txn& txn, const std::vector<model::job_state>& states,
                                std::size_t most) {
  std::vector<std::string> out;
  for (const auto state : states) {
    auto of_state = ended_prefix(state, {});
    of_state.pop_back();  // The name of a queue stands before the NUL.
    const auto all = each_name(txn, table::job_postings, of_state, {}, most,
                               [&](const std::string& queue) -> result<void> {
                                 out.push_back(ended_prefix(state, queue));
                                 return {};
                               });
    if (!all) return fail(all.error());
    if (!*all || out.size() > most) return prefixes{};
  }
  return prefixes{std::move(out)};
}

}  // namespace argosy::view
