// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/link/rights_watch.hpp"

#include <algorithm>
#include <utility>

#include "runtime/kube/answers.hpp"

namespace argosy::backends {

namespace {

constexpr boot_time period = std::chrono::seconds{4};
/// The next questions come sooner until what is missing has been so for long enough to be told.
constexpr boot_time period_of_doubt = std::chrono::seconds{2};
/// A right of which the rules do not tell is asked for so often while they stay as they were.
constexpr boot_time period_of_rest = std::chrono::minutes{1};
/// Where rules are asked for if no namespace is named: those for the whole cluster hold there too.
constexpr const char* any_namespace = "default";

bool is_missing_for(const std::optional<boot_time>& since, boot_time least, boot_time now) {
  return since && now - *since >= least;
}

bool is_in_doubt(const std::optional<boot_time>& since, boot_time now) {
  return since && !is_missing_for(since, rights_watch::patience, now);
}

}  // namespace

void rights_watch::add(const std::vector<needed_right>& rights, bool needed) {
  for (const auto& each : rights) {
    const bool told_by_rules = !each.name_space.empty();
    if (told_by_rules) rules_.try_emplace(each.name_space);
    asked_.push_back({each, needed});
    if (told_by_rules) asked_.back().due = boot_time::max();
  }
  if (rules_.empty()) rules_.try_emplace(any_namespace);
  due_ = boot_time{};
}

std::vector<rights_watch::question> rights_watch::tick(boot_time now) {
  std::vector<question> out;
  if (under_way_ > 0 || asked_.empty() || now < due_) return out;
  std::vector<std::pair<boot_time, question>> due;
  for (const auto& [name_space, each] : rules_)
    if (each.due <= now) due.emplace_back(each.due, question{{}, {}, name_space});
  for (const auto& each : asked_)
    if (each.due <= now) due.emplace_back(each.due, each.right);
  // The question that has been due for longest comes first, so that slow answers keep none waiting.
  std::ranges::stable_sort(due, {}, &std::pair<boot_time, question>::first);
  for (auto& [since, what] : due)
    if (out.size() < batch_max) out.push_back(std::move(what));
  under_way_ = out.size();
  return out;
}

void rights_watch::answered(const question& what, const result<kube::answer>& answer,
                            boot_time now) {
  if (what.verb.empty()) {
    take_rules(what.name_space, answer, now);
  } else {
    for (auto& each : asked_) {
      if (each.right != what) continue;
      note(each, says_missing(answer), now);
      const auto rest = rules_.at(rules_for(each)).tell ? period_of_rest : period;
      each.due = now + (is_in_doubt(each.missing_since, now) ? period_of_doubt : rest);
    }
  }
  if (--under_way_ > 0) return;
  due_ = boot_time::max();
  for (const auto& [name_space, each] : rules_) due_ = std::min(due_, each.due);
  for (const auto& each : asked_) due_ = std::min(due_, each.due);
}

void rights_watch::note(asked_right& one, bool missing, boot_time now) {
  one.known = true;
  if (!missing)
    one.missing_since.reset();
  else if (!one.missing_since)
    one.missing_since = now;
}

const std::string& rights_watch::rules_for(const asked_right& one) const {
  return one.right.name_space.empty() ? rules_.begin()->first : one.right.name_space;
}

void rights_watch::take_rules(const std::string& name_space, const result<kube::answer>& answer,
                              boot_time now) {
  auto& rules = rules_.at(name_space);
  const auto told = read_rules(answer);
  const bool passes = !answer || kube::is_passing(*answer);
  const bool changed = told && told->print != std::exchange(rules.print, told->print);
  if (told || !passes) rules.tell = told.has_value();
  bool doubts = false;
  for (auto& each : asked_) {
    if (rules_for(each) != name_space) continue;
    const bool is_listed = told && allow(*told, each.right);
    // A role in the namespace gives no right to the whole cluster.
    if (told && told->are_whole && (!is_listed || !each.right.name_space.empty())) {
      note(each, !is_listed, now);
      each.due = boot_time::max();
      doubts = doubts || is_in_doubt(each.missing_since, now);
    } else if (changed || !each.known || (each.due == boot_time::max() && !passes)) {
      each.due = now;
    }
  }
  rules.due = now + (doubts ? period_of_doubt : rules.tell ? period : period_of_rest);
}

boot_time rights_watch::next_due() const {
  return under_way_ > 0 || asked_.empty() ? boot_time::max() : due_;
}

bool rights_watch::are_known() const {
  return std::ranges::all_of(asked_, [](const auto& each) { return each.known || !each.needed; });
}

std::optional<follow_gap> rights_watch::any_missing(boot_time least, boot_time now) const {
  std::vector<needed_right> missing;
  auto since = boot_time::max();
  for (const auto& each : asked_)
    if (each.needed && is_missing_for(each.missing_since, least, now)) {
      missing.push_back(each.right);
      since = std::min(since, *each.missing_since);
    }
  if (missing.empty()) return std::nullopt;
  return follow_gap{since,
                    "denies the agent rights that it needs: " + to_text(missing) +
                        "; give them to its user, as the table of rights in config/KUBERNETES.md "
                        "has them",
                    false};
}

bool rights_watch::is_missing_everywhere(const needed_right& right, boot_time least,
                                         boot_time now) const {
  return std::ranges::all_of(asked_, [&](const auto& each) {
    const bool same = each.right.verb == right.verb && each.right.resource == right.resource &&
                      each.right.name_space.empty() == right.name_space.empty();
    return !same || is_missing_for(each.missing_since, least, now);
  });
}

std::vector<needed_right> rights_watch::missing(bool with_needed, boot_time now) const {
  std::vector<needed_right> out;
  for (const auto& each : asked_)
    if ((with_needed || !each.needed) && is_missing_for(each.missing_since, patience, now))
      out.push_back(each.right);
  return out;
}

std::optional<follow_gap> rights_watch::find(boot_time least, boot_time now) const {
  const bool counts = std::ranges::any_of(asked_, [&](const auto& each) {
    return each.needed && is_missing_everywhere(each.right, least, now);
  });
  return counts ? any_missing(least, now) : std::nullopt;
}

}  // namespace argosy::backends
