// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/between/namespace_trials.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "runtime/model/namespace_part.hpp"
#include "runtime/scheduling/tables.hpp"

namespace argosy::scheduling {

namespace {

/// Anybody may name namespaces, so that few are remembered.
constexpr std::size_t last_max = 1024;

/// What a snapshot knows of a job that was let in.
enum class whereabouts : std::uint8_t { waits, runs_there, elsewhere };

whereabouts find(const tables& t, const ulid& job, std::string_view cluster) {
  const auto at = t.job_numbers.find(job);
  if (at == t.job_numbers.end()) return whereabouts::elsewhere;
  const auto& record = t.jobs[at->second];
  if (!record.has_run()) return whereabouts::waits;
  if (record.node == none || t.nodes[record.node].executor == none) return whereabouts::elsewhere;
  return t.executors.name(t.nodes[record.node].executor) == cluster ? whereabouts::runs_there
                                                                    : whereabouts::elsewhere;
}

/// The namespace of the jobs with the parts that they belong to (model::entry_of()); null if they
/// are of none.
const std::string* entry_of(const terms_record& terms) {
  const auto at = std::ranges::find(terms.tolerations, model::namespaces_taint, &toleration::key);
  return at == terms.tolerations.end() ? nullptr : &at->value;
}

/// Those of these jobs that are of the namespace or part. Empty if one of all has a run.
template <class Numbers>
std::vector<ulid> members_in(const tables& t, const Numbers& jobs, const std::string& name_space) {
  std::vector<ulid> out;
  for (const auto number : jobs) {
    const auto& job = t.jobs[number];
    if (job.has_run()) return {};
    const auto* of = entry_of(t.terms[t.shapes[job.shape].terms]);
    if (of != nullptr && model::concerns(name_space, *of)) out.push_back(job.id);
  }
  return out;
}

}  // namespace

void namespace_trials::count(const std::string& node_taint, const std::string& pool, bool comes) {
  for (auto& trial : model::read_taint_value(node_taint).tried) {
    auto& sight = seen_[trial];
    sight.pool = pool;
    if (comes)
      ++sight.nodes;
    else if (--sight.nodes == 0)
      seen_.erase(trial);
  }
}

void namespace_trials::see(const std::string& node, const std::string& pool,
                           const std::vector<taint>& taints) {
  const auto spot = std::ranges::find(taints, model::namespaces_taint, &taint::key);
  const bool tells = spot != taints.end() && !model::read_taint_value(spot->value).tried.empty();
  const auto known = nodes_.find(node);
  if (known != nodes_.end()) {
    if (tells && known->second == std::pair{pool, spot->value}) return;
    count(known->second.second, known->second.first, false);
    nodes_.erase(known);
  }
  if (!tells) return;
  nodes_.try_emplace(node, pool, spot->value);
  count(spot->value, pool, true);
}

void namespace_trials::note_change() {
  for (auto& [trial, attempt] : attempts_) attempt.in_vain = 0;
}

std::set<ulid> namespace_trials::withdraw(const snapshot& from) {
  std::set<ulid> out;
  std::erase_if(attempts_, [&](const auto& each) {
    const bool is_over = !seen_.contains(each.first);
    if (is_over)
      for (const auto& unit : each.second.units) out.insert(unit.begin(), unit.end());
    return is_over;
  });
  for (auto& [trial, attempt] : attempts_) {
    attempt.is_under_way = false;
    std::erase_if(attempt.units, [&, &of = trial, &at = attempt](const unit& jobs) {
      std::set<whereabouts> where;
      for (const auto& job : jobs) where.insert(find(from.data(), job, of.cluster));
      const bool tries = where.contains(whereabouts::runs_there);
      at.is_under_way = at.is_under_way || tries;
      const bool may_still = where == std::set{whereabouts::waits} && !at.was_looked_at;
      if (!tries && !may_still) out.insert(jobs.begin(), jobs.end());
      return !tries && !may_still;
    });
    attempt.was_looked_at = false;
  }
  // What they try together was closed at different times.
  const auto half = let_in_by_half(from.data());
  for (auto& [trial, attempt] : attempts_)
    std::erase_if(attempt.units, [&](const unit& jobs) { return half.contains(jobs.front()); });
  out.insert(half.begin(), half.end());
  if (!out.empty()) index_units();
  return out;
}

namespace_trials::parts_tried namespace_trials::parts_of(const tables& t,
                                                         const std::string& cluster,
                                                         const unit& jobs) const {
  parts_tried out;
  const auto found = t.job_numbers.find(jobs.front());
  if (found == t.job_numbers.end()) return out;
  const auto gang = t.jobs[found->second].gang;
  for (auto at = seen_.lower_bound({model::cluster_name{cluster}, {}, 0}); at != seen_.end();
       ++at) {
    const auto& trial = at->first;
    if (trial.cluster != cluster) break;
    auto members = gang == none ? members_in(t, std::array{found->second}, trial.name_space)
                                : members_in(t, t.gangs[gang].members, trial.name_space);
    if (!members.empty()) out.emplace_back(trial, std::move(members));
  }
  return out;
}

bool namespace_trials::is_let_in(const parts_tried& parts) const {
  return std::ranges::all_of(parts, [&](const auto& part) {
    const auto at = attempts_.find(part.first);
    return at != attempts_.end() &&
           std::ranges::find(at->second.units, part.second) != at->second.units.end();
  });
}

std::set<ulid> namespace_trials::let_in_by_half(const tables& t) const {
  std::set<ulid> out;
  for (const auto& [trial, attempt] : attempts_)
    for (const auto& jobs : attempt.units)
      if (const auto parts = parts_of(t, trial.cluster, jobs); !is_let_in(parts))
        for (const auto& [of, members] : parts) out.insert(members.begin(), members.end());
  return out;
}

std::map<std::string, namespace_trials::unit_map> namespace_trials::waiting(
    const snapshot& from, const std::map<std::string, std::size_t>& of_each_max) {
  const auto& t = from.data();
  std::vector<std::vector<const std::pair<const std::string, std::size_t>*>> wanted(
      t.shapes.size());
  bool any = false;
  for (std::size_t i = 0; i < t.shapes.size(); ++i)
    if (const auto* entry = entry_of(t.terms[t.shapes[i].terms]))
      for (const auto& each : of_each_max)
        if (model::concerns(each.first, *entry)) wanted[i].push_back(&each), any = true;
  std::map<std::string, unit_map> out;
  if (!any) return out;
  std::set<std::pair<std::uint32_t, std::string_view>> gangs;
  for (const auto& queue : t.queues) {
    if (!queue.configured || queue.cordoned) continue;
    for (const auto& entry : queue.queued)
      for (const auto* ours : wanted[entry.shape]) {
        const bool is_gang = entry.gang != none;
        if (is_gang && !gangs.insert({entry.gang, ours->first}).second) continue;
        auto& units = out[ours->first][{is_gang, queue.name, entry.shape}];
        if (units.size() >= ours->second) continue;
        unit jobs{t.jobs[entry.job].id};
        if (is_gang) jobs = members_in(t, t.gangs[entry.gang].members, ours->first);
        if (!jobs.empty()) units.push_back(std::move(jobs));
      }
  }
  return out;
}

bool namespace_trials::let_in(const parts_tried& parts, const kind& of) {
  const bool has_room = std::ranges::all_of(parts, [&](const auto& part) {
    return attempts_[part.first].units.size() < part.first.jobs;
  });
  if (!has_room) return false;
  for (const auto& [trial, jobs] : parts) {
    attempts_[trial].units.push_back(jobs);
    last_[{trial.cluster, trial.name_space}] = of;
  }
  return true;
}

void namespace_trials::let_in(const tables& t, const model::namespace_trial& trial,
                              const unit_map& found, std::set<ulid>& out) {
  auto& attempt = attempts_[trial];
  attempt.kinds = found.size();
  const auto last = last_.find({trial.cluster, trial.name_space});
  auto next = last == last_.end() ? found.begin() : found.upper_bound(last->second);
  for (auto left = found.size(); left > 0; --left, ++next) {
    if (next == found.end()) next = found.begin();
    for (const auto& jobs : next->second) {
      if (attempt.units.size() >= trial.jobs) return;
      if (std::ranges::find(attempt.units, jobs) != attempt.units.end()) continue;
      const auto parts = parts_of(t, trial.cluster, jobs);
      if (let_in(parts, next->first))
        for (const auto& [of, members] : parts) out.insert(members.begin(), members.end());
      else if (!next->first.gang)
        break;  // The others of the kind are of the same parts.
    }
  }
}

std::set<ulid> namespace_trials::let_in(const snapshot& from) {
  std::set<ulid> out;
  if (last_.size() > last_max) last_.clear();
  std::vector<const model::namespace_trial*> missing;
  std::map<std::string, std::size_t> of_each_max;
  for (const auto& [trial, sight] : seen_) {
    if (attempts_[trial].units.size() >= trial.jobs) continue;
    missing.push_back(&trial);
    auto& most = of_each_max[trial.name_space];
    most = std::max<std::size_t>(most, trial.jobs);
  }
  if (missing.empty()) return out;
  auto found = waiting(from, of_each_max);
  for (const auto* trial : missing) let_in(from.data(), *trial, found[trial->name_space], out);
  if (!out.empty()) index_units();
  return out;
}

void namespace_trials::index_units() {
  clusters_.clear();
  for (const auto& [trial, attempt] : attempts_)
    for (const auto& unit : attempt.units)
      for (const auto& job : unit)
        if (auto& known = clusters_[job]; known.empty() || known.back() != trial.cluster)
          known.push_back(trial.cluster);
}

const std::vector<std::string>& namespace_trials::clusters_of(const ulid& job) const {
  static const std::vector<std::string> none_of_them;
  const auto found = clusters_.find(job);
  return found == clusters_.end() ? none_of_them : found->second;
}

void namespace_trials::decided(const std::string& pool) {
  for (auto& [trial, attempt] : attempts_) {
    const auto at = seen_.find(trial);
    if (at == seen_.end() || at->second.pool != pool) continue;
    attempt.was_looked_at = true;
    if (!attempt.is_under_way) ++attempt.in_vain;
  }
}

bool namespace_trials::wants_round(const std::string& pool) const {
  return std::ranges::any_of(attempts_, [&](const auto& each) {
    const auto at = seen_.find(each.first);
    return at != seen_.end() && at->second.pool == pool && !each.second.is_under_way &&
           !each.second.units.empty() && each.second.in_vain < each.second.kinds;
  });
}

}  // namespace argosy::scheduling
