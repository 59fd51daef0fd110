// SPDX-License-Identifier: Apache-2.0
// Knows which of the collections that an agent has to follow the API server does not tell of, and
// since when. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"

namespace argosy::backends {

/// Something that has to be known is not told any more.
struct follow_gap {
  boot_time since{};
  std::string why;       ///< What is not told, and what to do, as the end of a clause.
  bool of_pods = false;  ///< It is not known how any run is.
};

class follow_gaps {
 public:
  /// Nodes, or pods of jobs in one namespace; empty: in all.
  void follow_nodes(const std::string& path) { followed_[path].is_nodes = true; }
  void follow_pods(const std::string& path) { static_cast<void>(followed_[path]); }

  /// Other collections are ignored.
  void interrupted(const std::string& path, const error& why, boot_time now);
  void resumed(const std::string& path);

  /// Since `least` or longer nodes are not told of, or no pods in any namespace; where the server
  /// has not said that a right is missing, half as long again, since the link itself is looked at
  /// first. One namespace of several that is closed to the agent leaves it the others.
  [[nodiscard]] std::optional<follow_gap> find(boot_time least, boot_time now) const;
  /// When find() may give something else than now; boot_time::max(): not by time.
  [[nodiscard]] boot_time next_due(boot_time least, boot_time now) const;

 private:
  struct followed {
    bool is_nodes = false;
    std::optional<boot_time> since{};
    error why{};

    [[nodiscard]] boot_time due(boot_time least) const {
      return *since + (why.code == ec::denied ? least : least + least / 2);
    }
  };
  std::map<std::string, followed> followed_;
};

}  // namespace argosy::backends
