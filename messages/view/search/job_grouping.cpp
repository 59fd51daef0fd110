// SPDX-License-Identifier: Apache-2.0
#include "messages/view/search/job_grouping.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include "messages/view/search/conditions.hpp"
#include "messages/view/view_keys.hpp"

namespace argosy::view {

namespace {

using model::group_order;
using model::job_field;
using model::job_group;

/// Whether the first group comes before the second when the order ascends. Groups that are equal in
/// it come by name.
bool is_before(const job_group& a, const job_group& b, group_order order) {
  const auto key_of = [order](const job_group& group) -> std::int64_t {
    switch (order) {
      case group_order::count:
        return static_cast<std::int64_t>(group.count);
      case group_order::submitted:
        return group.submitted_ns;
      case group_order::changed:
        return group.changed_average_ns;
      case group_order::name:
        break;
    }
    return 0;
  };
  return std::tuple{key_of(a), std::string_view{a.name}} <
         std::tuple{key_of(b), std::string_view{b.name}};
}

}  // namespace

job_grouping::job_grouping(native::group_jobs query, const grouping_bounds& bounds)
    : query_(std::move(query)), bounds_(bounds), scan_(query_.conditions, direction::up) {}

void job_grouping::count(std::string_view name, const job_facts& job) {
  auto found = groups_.find(absl::string_view{name.data(), name.size()});
  if (found == groups_.end()) {
    if (groups_.size() == bounds_.groups) {
      incomplete_ = true;
      return;
    }
    found = groups_.try_emplace(std::string{name}).first;
  }
  auto& group = found->second;
  const bool first = group.count++ == 0;
  ++group.jobs[static_cast<std::size_t>(job.state)];
  if (first) {
    group.submitted_ns = job.submitted_ns;
    group.changed_first_ns = group.changed_last_ns = group.base_ns = job.changed_ns;
    return;
  }
  group.submitted_ns = std::min(group.submitted_ns, job.submitted_ns);
  group.changed_first_ns = std::min(group.changed_first_ns, job.changed_ns);
  group.changed_last_ns = std::max(group.changed_last_ns, job.changed_ns);
  group.changed_ns += static_cast<double>(job.changed_ns - group.base_ns);
}

/// A job without the annotation or label is in no group.
result<void> job_grouping::add(store::read_txn& txn, const job_facts& job) {
  if (query_.by == job_field::state) {
    count(model::to_string(job.state), job);
    return {};
  }
  if (!needs_tags(query_.by)) {
    const auto name = text_of(job, query_.by);
    if (!name) return fail(name.error());
    count(*name, job);
    return {};
  }
  const auto spec = txn.get(store::table::specs, job_key(job.id));
  if (!spec) return fail(spec.error());
  const auto tags = *spec ? tags_of(**spec) : result<model::job_tags>{};
  if (!tags) return fail(tags.error());
  const auto& of = query_.by == job_field::label ? tags->labels : tags->annotations;
  if (const auto found = of.find(query_.key); found != of.end()) count(found->second, job);
  return {};
}

result<bool> job_grouping::go_on(store::read_txn& txn) {
  return scan_.go_on(txn, bounds_.looked_at,
                     [&](const job_facts& job, std::string_view) -> result<bool> {
                       if (auto added = add(txn, job); !added) return fail(added.error());
                       return true;
                     });
}

job_group job_grouping::to_group(const std::string& name, const sums& of) {
  job_group out;
  out.name = name;
  out.count = of.count;
  for (std::size_t i = 0; i < of.jobs.size(); ++i)
    if (of.jobs[i] > 0) out.jobs[static_cast<model::job_state>(i)] = of.jobs[i];
  out.submitted_ns = of.submitted_ns;
  out.changed_first_ns = of.changed_first_ns;
  out.changed_last_ns = of.changed_last_ns;
  out.changed_average_ns =
      of.base_ns + static_cast<std::int64_t>(of.changed_ns / static_cast<double>(of.count));
  return out;
}

native::job_groups job_grouping::take() {
  std::vector<job_group> all;
  all.reserve(groups_.size());
  for (const auto& [name, of] : groups_) all.push_back(to_group(name, of));
  std::sort(all.begin(), all.end(), [&](const job_group& a, const job_group& b) {
    return query_.ascending ? is_before(a, b, query_.order) : is_before(b, a, query_.order);
  });
  native::job_groups out;
  out.groups_in_all = all.size();
  out.incomplete = incomplete_;
  out.looked_at = scan_.looked_at();
  const auto from = std::min<std::size_t>(query_.skip, all.size());
  const auto count = std::min<std::size_t>(query_.limit, all.size() - from);
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(from);
  out.groups.assign(std::make_move_iterator(begin),
                    std::make_move_iterator(begin + static_cast<std::ptrdiff_t>(count)));
  return out;
}

}  // namespace argosy::view
