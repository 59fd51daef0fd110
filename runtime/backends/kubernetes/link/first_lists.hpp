// SPDX-License-Identifier: Apache-2.0
// Knows which collections the API server has not listed yet, without which an agent does not know
// which runs it has, and why not. One namespace of several that is closed to the agent leaves it
// the others: their runs are adopted, and those of the closed one once it is listed. Pure.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "runtime/base/result.hpp"
#include "runtime/model/agent_run.hpp"

namespace argosy::backends {

class first_lists {
 public:
  void await(const std::string& path) {
    waited_[path] = {ec::timeout, "'" + path + "' was not listed yet"};
  }
  /// As await(), for pods of jobs in one namespace; empty: in all.
  void await_pods(const std::string& path, const std::string& name_space) {
    await(path);
    pods_[path] = name_space;
  }
  void listed(const std::string& path) { waited_.erase(path); }
  /// Collections that are not waited for are ignored.
  void interrupted(const std::string& path, const error& why) {
    if (const auto found = waited_.find(path); found != waited_.end()) found->second = why;
  }

  /// All but the pods of some namespaces that are closed to the agent.
  [[nodiscard]] bool are_there() const {
    return std::ranges::all_of(waited_, [this](const auto& each) { return is_closed(each.first); });
  }
  /// Whether the agent may not have one of them, and can do nothing without it.
  [[nodiscard]] bool are_denied() const {
    return std::ranges::any_of(waited_, [this](const auto& each) {
      return each.second.code == ec::denied && !is_closed(each.first);
    });
  }
  /// What is not listed, as the end of a clause: all that is refused, so that nobody has to ask for
  /// one right after the other, and otherwise the first.
  [[nodiscard]] std::string why() const {
    const bool denied = are_denied();
    std::set<std::string> told;
    for (const auto& [path, why] : waited_)
      if (denied ? why.code == ec::denied : told.empty() && !is_closed(path))
        told.insert(why.detail);
    std::string out;
    for (const auto& each : told) out += (out.empty() ? "" : "; ") + each;
    return "does not list nodes and pods for the agent: " + out +
           (denied ? "; give its user the rights, as the table of rights in config/KUBERNETES.md "
                     "has them"
                   : "");
  }

  /// Runs are to be adopted of the namespaces that are listed now, and of no others before
  /// end_adoption(), whatever is listed meanwhile.
  void begin_adoption() {
    if (std::exchange(adopts_, true)) return;
    unknown_.clear();
    for (const auto& [path, name_space] : pods_)
      if (waited_.contains(path)) unknown_.insert(name_space);
  }
  void end_adoption() { adopts_ = false, later_ = true; }
  [[nodiscard]] bool knows_all() const noexcept { return unknown_.empty(); }
  /// Whether the runs of this namespace are not adopted yet.
  [[nodiscard]] bool is_unknown(const std::string& name_space) const {
    return unknown_.contains(name_space);
  }
  /// Takes whether all pods that are adopted could be read. Returns whether that holds for all that
  /// there are: what could not be read once is not read later.
  [[nodiscard]] bool note_whole(bool is_whole) {
    whole_ = whole_ && is_whole;
    return whole_ && knows_all();
  }
  /// Whether a namespace was listed whose runs are not adopted yet.
  [[nodiscard]] bool has_more() const {
    return std::ranges::any_of(pods_, [this](const auto& each) {
      return is_unknown(each.second) && !waited_.contains(each.first);
    });
  }
  [[nodiscard]] bool awaits(const model::run_key& run) const { return awaited_.contains(run); }
  [[nodiscard]] std::string why_unknown() const {
    std::string names;
    for (const auto& each : unknown_) names += (names.empty() ? "'" : ", '") + each + "'";
    return "it is not known how the run is: its pod may be in a namespace of which the API server "
           "lists no pods for the agent (" +
           names +
           "). Give the agent's user the rights, or take the namespace out of "
           "kubernetes.namespaces and start the agent again";
  }
  /// Whether it is known now how the run is. One without a pod may have it where nothing is listed,
  /// unless it certainly never began or its record says that it is elsewhere. What was known before
  /// is not said again.
  [[nodiscard]] bool settles(const model::recorded_run& record, bool has_pod, bool never_began) {
    const auto& run = record.run;
    const bool is_listed =
        knows_all() || (!record.name_space.empty() && !is_unknown(record.name_space));
    if (has_pod || (!later_ && (never_began || is_listed))) {
      awaited_.erase(run);
      return true;
    }
    if (later_) return is_listed && awaited_.erase(run) > 0;
    awaited_.insert(run);
    return false;
  }

 private:
  [[nodiscard]] bool is_denied(const std::string& path) const {
    const auto found = waited_.find(path);
    return found != waited_.end() && found->second.code == ec::denied;
  }
  [[nodiscard]] bool is_closed(const std::string& path) const {
    return pods_.contains(path) && is_denied(path) &&
           !std::ranges::all_of(pods_, [this](const auto& each) { return is_denied(each.first); });
  }

  std::map<std::string, error> waited_;
  std::map<std::string, std::string> pods_;  ///< The namespaces of those that are pods of jobs.
  std::set<std::string> unknown_;            ///< The namespaces of which no run is adopted.
  std::set<model::run_key> awaited_;         ///< Their pods may be there.
  bool adopts_ = false;
  bool whole_ = true;
  bool later_ = false;  ///< The runs of some namespaces were adopted before.
};

}  // namespace argosy::backends
