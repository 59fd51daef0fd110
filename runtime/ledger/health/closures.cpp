// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/health/closures.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "runtime/base/text.hpp"
#include "runtime/model/agent_run.hpp"
#include "runtime/model/namespace_part.hpp"

namespace argosy::ledger {

namespace {

/// Kubernetes has no longer names.
constexpr std::size_t name_bytes_max = 63;
constexpr std::size_t part_bytes_max = 512;
constexpr std::size_t why_bytes_max = 500;
constexpr std::size_t real_max = 1024;
/// The log has all namespaces of a cluster in one record, which is written again for each change.
constexpr std::size_t recorded_bytes_max = 200;

}  // namespace

bool is_refused_to_all(const model::run_report& report) noexcept {
  return report.phase == model::run_phase::refused &&
         report.outcome.reason == model::reason_cluster_refused &&
         model::is_refused_to_all(report.outcome.category);
}

bool closures::is_at(const std::string& name_space, stage at) const {
  for (auto it = entries_.lower_bound({name_space, {}});
       it != entries_.end() && it->first.first == name_space; ++it)
    if (it->second.at == at) return true;
  return false;
}

entrance closures::of(const std::string& name_space, const model::run_key& run) const {
  if (entries_.empty()) return entrance::open;
  if (is_at(name_space, stage::shut)) return entrance::shut;
  if (!is_at(name_space, stage::tried)) return entrance::open;
  const auto at = looks_.find(name_space);
  if (at == looks_.end() || at->second.runs.contains(run)) return entrance::open;
  const auto& look = at->second;
  return look.taken + look.runs.size() < look.size ? entrance::open : entrance::waits;
}

void closures::sent(const std::string& name_space, const model::run_key& run) {
  if (is_tried(name_space)) looks_[name_space].runs.insert(run);
}

bool closures::is_known(const std::string& name_space) const {
  const auto at = entries_.lower_bound({name_space, {}});
  return at != entries_.end() && at->first.first == name_space;
}

void closures::forget(const std::string& name_space) {
  std::erase_if(entries_, [&](const auto& each) { return each.first.first == name_space; });
  end_look(name_space);
}

bool closures::make_room(const std::string& name_space) {
  if (is_known(name_space)) return true;
  if (model::namespace_in(name_space).size() > name_bytes_max || name_space.size() > part_bytes_max)
    return false;
  std::set<std::string> names;
  for (const auto& [key, each] : entries_) names.insert(key.first);
  if (names.size() < rules_.namespaces_max) return true;
  const auto idle = std::ranges::find_if(names, [&](const std::string& each) {
    return !is_at(each, stage::shut) && !is_at(each, stage::tried);
  });
  const auto is_real = [this](const std::string& part) {
    return real_.contains(std::string{model::namespace_in(part)});
  };
  const auto doubtful =
      !is_real(name_space)
          ? names.end()
          : std::ranges::find_if(names, [&](const std::string& each) { return !is_real(each); });
  // What shuts a whole namespace shuts its parts.
  const auto part = std::ranges::find_if(
      names, [&](const std::string& each) { return model::namespace_in(each) == name_space; });
  const auto leaves = idle != names.end() ? idle : part != names.end() ? part : doubtful;
  if (leaves == names.end()) return false;
  forget(*leaves);
  return true;
}

closing closures::refused(const std::string& name_space, const model::run_key& run,
                          const std::string& kind, const std::string& why, std::int64_t time_ns,
                          boot_time now) {
  if (!make_room(name_space)) return closing::no_room;
  const bool was_shut = is_at(name_space, stage::shut);
  const auto look = looks_.find(name_space);
  const bool tries = look != looks_.end() && look->second.runs.contains(run);
  const auto [at, is_new] = entries_.try_emplace({name_space, kind});
  auto& [what, where, pause] = at->second;
  if (is_new) what = {name_space, kind, {}, time_ns, {}, 0, false};
  what.why = std::string{cut_to_size(why, why_bytes_max)};
  ++what.refusals;
  // What was sent before the namespace was shut says nothing new.
  if (!is_new && (where == stage::shut || (where == stage::tried && !tries))) return closing::known;
  end_look(name_space);
  pause = pause == boot_time{0} ? rules_.pause_first : std::min(2 * pause, rules_.pause_most);
  if (where == stage::passed) what.since_ns = time_ns;
  where = stage::shut;
  what.tried = false;
  what.until = now + pause;
  return was_shut ? closing::known : closing::shut;
}

void closures::end_look(const std::string& name_space) {
  looks_.erase(name_space);
  untried_.erase(name_space);
  impatient_.erase(name_space);
}

void closures::open(const std::string& name_space, boot_time now) {
  end_look(name_space);
  for (auto& [key, each] : entries_) {
    if (key.first != name_space || each.at != stage::tried) continue;
    each.at = stage::passed;
    each.what.tried = false;
    each.what.refusals = 0;
    each.what.until = now + rules_.pause_most;
  }
}

bool closures::taken(const std::string& name_space, const model::run_key& run, boot_time now) {
  if (real_.size() < real_max && model::namespace_in(name_space).size() == name_space.size())
    real_.insert(name_space);
  const auto at = looks_.find(name_space);
  if (at == looks_.end() || at->second.runs.erase(run) == 0) return false;
  bool by_steps = false;
  for (auto& [key, each] : entries_) {
    if (key.first != name_space || each.at != stage::tried) continue;
    each.pause = std::min(each.pause, rules_.pause_again);
    by_steps = by_steps || key.second == model::refusal_to_all::quota;
  }
  auto& look = at->second;
  look.idle_at = now + rules_.pause_again;
  if (++look.taken < look.size && by_steps) return false;
  if (by_steps && look.size < rules_.trials_max) {
    look.size *= 2;
    look.taken = 0;
  } else {
    open(name_space, now);
  }
  return true;
}

void closures::over(const model::run_key& run) {
  for (auto& [name_space, look] : looks_) look.runs.erase(run);
}

void closures::note_patience(boot_time now) {
  for (const auto& [name_space, size] : tried()) {
    const auto look = looks_.find(name_space);
    if (look != looks_.end() && !look->second.runs.empty()) {
      untried_.erase(name_space);
      continue;
    }
    const auto untried = now - untried_.try_emplace(name_space, now).first->second;
    if (untried >= rules_.untried_max)
      forget(name_space);
    else if (untried >= rules_.patience)
      impatient_.insert(name_space);
  }
}

bool closures::tick(boot_time now) {
  const auto before = std::tuple{shut(), tried(), impatient_};
  std::erase_if(entries_, [&](const auto& each) {
    return each.second.at == stage::passed && now >= each.second.what.until;
  });
  for (auto& [key, each] : entries_) {
    if (each.at != stage::shut || now < each.what.until) continue;
    each.at = stage::tried;
    each.what.tried = true;
  }
  std::vector<std::string> unused;
  for (const auto& [name_space, look] : looks_)
    if (look.size > 1 && look.runs.empty() && now >= look.idle_at) unused.push_back(name_space);
  for (const auto& each : unused) open(each, now);
  note_patience(now);
  return std::tuple{shut(), tried(), impatient_} != before;
}

std::vector<std::string> closures::shut() const {
  std::vector<std::string> out;
  for (const auto& [key, each] : entries_)
    if (each.at == stage::shut && (out.empty() || out.back() != key.first))
      out.push_back(key.first);
  return out;
}

std::map<std::string, std::uint32_t> closures::tried() const {
  std::map<std::string, std::uint32_t> out;
  for (const auto& [key, each] : entries_) {
    if (!is_tried(key.first)) continue;
    const auto at = looks_.find(key.first);
    out[key.first] = at == looks_.end() ? 1 : at->second.size;
  }
  return out;
}

std::vector<closure> closures::all() const {
  std::vector<closure> out;
  for (const auto& [key, each] : entries_)
    if (each.at != stage::passed) out.push_back(each.what);
  return out;
}

std::vector<model::closed_namespace> closures::record(
    const std::vector<model::closed_namespace>& known) const {
  std::vector<model::closed_namespace> out;
  for (const auto& [key, each] : entries_)
    if (each.at != stage::passed)
      out.push_back({key.first, key.second,
                     std::string{cut_to_size(each.what.why, recorded_bytes_max)},
                     each.what.since_ns});
  const auto is_same = [](const model::closed_namespace& a, const model::closed_namespace& b) {
    return a.name_space == b.name_space && a.kind == b.kind;
  };
  return std::ranges::equal(out, known, is_same) ? known : out;
}

void closures::restore(const std::vector<model::closed_namespace>& record) {
  looks_.clear();
  untried_.clear();
  impatient_.clear();
  real_.clear();
  entries_.clear();
  for (const auto& each : record)
    entries_[{each.name_space, each.kind}] = {
        {each.name_space, each.kind, each.why, each.since_ns, {}, 1, true}, stage::tried, {}};
}

std::vector<std::string> parts_of(const model::start_run& start) {
  return model::parts_of(start.name_space, start.attached, start.owner);
}

entrance entrance_of(const closures& in, const model::start_run& start) {
  auto out = entrance::open;
  if (!in.empty())
    for (const auto& part : parts_of(start)) out = std::max(out, in.of(part, start.run));
  return out;
}

void note_sent(closures& in, const model::start_run& start) {
  if (in.empty()) return;
  for (const auto& part : parts_of(start)) in.sent(part, start.run);
}

bool note_taken(closures& in, const model::start_run& start, boot_time now) {
  if (in.empty()) return in.taken(start.name_space, start.run, now);
  bool opened = false;
  for (const auto& part : parts_of(start)) opened = in.taken(part, start.run, now) || opened;
  return opened;
}

closing close_for(closures& in, const model::start_run& start, const model::run_report& report,
                  boot_time now) {
  const auto& [category, why] = std::tie(report.outcome.category, report.outcome.message);
  const auto part = model::part_refused(category, start.name_space, start.attached, start.owner);
  if (!part) return closing::no_room;
  const std::string kind{model::kind_of_refusal(category)};
  auto done = in.refused(*part, start.run, kind, why, report.time_ns, now);
  // Where many owners are refused, it is hardly a matter of each.
  if (done == closing::no_room && *part != start.name_space)
    done = in.refused(start.name_space, start.run, kind, why, report.time_ns, now);
  in.over(start.run);
  return done;
}

}  // namespace argosy::ledger
