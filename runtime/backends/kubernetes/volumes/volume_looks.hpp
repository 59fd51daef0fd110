// SPDX-License-Identifier: Apache-2.0
// Looks at the claims that pods name, and at the volumes to which they are bound, before the pods
// are made. What it may not look at, or what is not there, it does not know, and the pods are made
// without. Pure.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "runtime/backends/kubernetes/volumes/volume_reach.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/kube/api.hpp"
#include "runtime/model/job.hpp"

namespace argosy::backends {

class volume_looks {
 public:
  struct question {
    model::run_key run;
    std::string claim;
    std::string volume;  ///< Empty: it is the claim that is asked for.
    std::string path;
  };
  /// What was found for a run, and what is to happen if it may go on.
  struct finding {
    model::run_key run;
    std::string node;
    std::vector<bound_claim> claims;
    std::function<void()> go_on;
  };
  struct step {
    std::vector<question> questions;
    std::vector<finding> found;
    std::vector<std::string> denied;  ///< Kinds of objects at which the agent may not look.
  };

  /// Begins to look for a run. Returns false if there is nothing to look at.
  bool begin(finding about, const std::string& name_space, const std::vector<std::string>& claims,
             boot_time now);
  void answered(const question& what, const result<kube::answer>& answer, boot_time now);
  void drop(const model::run_key& run) { runs_.erase(run); }
  [[nodiscard]] step take() { return std::exchange(step_, {}); }

 private:
  struct looking {
    finding about;
    std::size_t open = 0;  ///< Questions that are not answered.
  };
  /// The claims of one namespace, or volumes for an empty one.
  [[nodiscard]] bool may_ask(const std::string& name_space, boot_time now) const;
  void deny(const std::string& path, boot_time now);
  void close(const model::run_key& run);

  std::map<model::run_key, looking> runs_;
  /// Since when the agent may not look there, by namespace; empty: at volumes.
  std::map<std::string, boot_time> denied_;
  step step_;
};

}  // namespace argosy::backends
