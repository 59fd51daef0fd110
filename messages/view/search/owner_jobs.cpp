// SPDX-License-Identifier: Apache-2.0
#include "messages/view/search/owner_jobs.hpp"

#include "messages/view/search/conditions.hpp"
#include "messages/view/search/name_leaps.hpp"
#include "messages/view/search/postings.hpp"

namespace argosy::view {

namespace {

using model::job_match;

using prefixes = std::optional<std::vector<std::string>>;

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

result<prefixes> owner_prefixes(store::read_txn& txn, const model::job_condition& owner,
                                const prefix_bounds& bounds) {
  if (owner.match != job_match::any_of) return matching_owners(txn, owner, bounds);
  if (owner.texts.size() > bounds.prefixes) return prefixes{};
  std::vector<std::string> out;
  for (const auto& name : owner.texts) out.push_back(owner_prefix(name));
  return prefixes{std::move(out)};
}

}  // namespace argosy::view
