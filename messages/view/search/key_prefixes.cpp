// SPDX-License-Identifier: Apache-2.0
// The different names in the keys of a table are found by leaping from one to the next over all
// other keys that have it.
#include "messages/view/search/key_prefixes.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "messages/view/job_set_counts.hpp"
#include "messages/view/search/conditions.hpp"
#include "messages/view/search/postings.hpp"
#include "messages/view/view_keys.hpp"
#include "runtime/base/result.hpp"
#include "runtime/store/database.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::view {

namespace {

using model::job_condition;
using model::job_match;
using store::table;
using prefixes = std::optional<std::vector<std::string>>;

/// Calls `visit` with each name that stands behind `before` in keys of the table, up to a NUL, if
/// it begins with `begin`. Returns false when there are more than `most`.
template <class Visit>
result<bool> each_name(store::read_txn& txn, store::table in, const std::string& before,
                       const std::string& begin, std::size_t most, Visit visit) {
  auto cursor = txn.open_cursor(in);
  if (!cursor) return fail(cursor.error());
  const auto all = before + begin;
  auto from = all;
  for (std::size_t steps = 0;; ++steps) {
    const auto at = (*cursor)->seek(from);
    if (!at) return fail(at.error());
    if (!*at || !(*at)->key.starts_with(all)) return true;
    if (steps == most) return false;
    const auto rest = (*at)->key.substr(before.size());
    const std::string name{rest.substr(0, rest.find('\0'))};
    if (auto visited = visit(name); !visited) return fail(visited.error());
    from = before + name + '\x01';
  }
}

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

/// The owners whose names have to be read to judge them.
result<prefixes> matching_owners(store::read_txn& txn, const model::job_condition& owner,
                                 const prefix_bounds& bounds) {
  // An owner whose name stands in no key may match as well.
  std::vector<std::string> out{unkeyed_owner_prefix()};
  auto before = owner_prefix({});
  before.pop_back();  // The name stands before the NUL.
  const bool begins = owner.match == job_match::starts_with && owner.texts.size() == 1;
  const auto all = each_name(txn, store::table::job_postings, before,
                             begins ? owner.texts.front() : std::string{}, bounds.steps,
                             [&](const std::string& name) -> result<void> {
                               job_facts facts;
                               facts.owner = name;
                               const auto met = meets(owner, facts);
                               if (!met) return fail(met.error());
                               if (*met) out.push_back(owner_prefix(name));
                               return {};
                             });
  if (!all) return fail(all.error());
  return *all && out.size() <= bounds.prefixes ? prefixes{std::move(out)} : prefixes{};
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

result<prefixes> owner_prefixes(store::read_txn& txn, const model::job_condition& owner,
                                const prefix_bounds& bounds) {
  if (owner.match != job_match::any_of) return matching_owners(txn, owner, bounds);
  if (owner.texts.size() > bounds.prefixes) return prefixes{};
  std::vector<std::string> out;
  for (const auto& name : owner.texts) out.push_back(owner_prefix(name));
  return prefixes{std::move(out)};
}

}  // namespace argosy::view
