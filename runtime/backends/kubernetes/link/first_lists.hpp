// SPDX-License-Identifier: Apache-2.0
// Knows which collections the API server has not listed yet, without which an agent does not know
// which runs it has, and why not. Pure.
#pragma once

#include <map>
#include <set>
#include <string>

#include "runtime/base/result.hpp"

namespace argosy::backends {

class first_lists {
 public:
  void await(const std::string& path) {
    waited_[path] = {ec::timeout, "'" + path + "' was not listed yet"};
  }
  void listed(const std::string& path) { waited_.erase(path); }
  /// Collections that are not waited for are ignored.
  void interrupted(const std::string& path, const error& why) {
    if (const auto found = waited_.find(path); found != waited_.end()) found->second = why;
  }

  [[nodiscard]] bool are_there() const noexcept { return waited_.empty(); }
  /// Whether the agent may not have one of them.
  [[nodiscard]] bool are_denied() const {
    for (const auto& [path, why] : waited_)
      if (why.code == ec::denied) return true;
    return false;
  }
  /// What is not listed, as the end of a clause: all that is refused, so that nobody has to ask for
  /// one right after the other, and otherwise the first.
  [[nodiscard]] std::string why() const {
    const bool denied = are_denied();
    std::set<std::string> told;
    for (const auto& [path, why] : waited_)
      if (denied ? why.code == ec::denied : told.empty()) told.insert(why.detail);
    std::string out;
    for (const auto& each : told) out += (out.empty() ? "" : "; ") + each;
    return "does not list nodes and pods for the agent: " + out +
           (denied ? "; give its user the rights, as the table of rights in config/KUBERNETES.md "
                     "has them"
                   : "");
  }

 private:
  std::map<std::string, error> waited_;
};

}  // namespace argosy::backends
