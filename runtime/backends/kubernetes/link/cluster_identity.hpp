// SPDX-License-Identifier: Apache-2.0
// Makes sure that an API server that was away is still that of the cluster whose pods the agent
// has made: a cluster that was made anew under the same address would answer that none of them is
// there. What it tells of pods meanwhile waits here. A cluster is known by the UID of its namespace
// kube-system. Whoever may not read that goes without the check. Used by one thread.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/kube/api.hpp"

namespace argosy::backends {

class cluster_identity {
 public:
  using letter = std::function<void()>;

  /// `folder` keeps the UID across restarts of the agent; empty: it is not kept.
  explicit cluster_identity(std::filesystem::path folder);

  /// The server may be another one now.
  void doubt() { is_doubted_ = true; }
  [[nodiscard]] bool is_doubted() const noexcept { return is_doubted_; }

  [[nodiscard]] static kube::request question();
  /// Takes the answer to the question. Returns why the server cannot be used, as the end of a
  /// clause; nothing: it is the right one, for all that can be known. Once the UID is known, only
  /// that UID and the answer that the agent may not read it end the doubt.
  [[nodiscard]] std::optional<std::string> answered(const result<kube::answer>& answer);

  /// Whether something that comes now has to wait.
  [[nodiscard]] bool holds() const noexcept { return is_doubted_ || !waiting_.empty(); }
  /// Has `what` wait until there is no doubt any more. A list makes whatever waits of its
  /// collection void.
  void hold(const std::string& collection, bool is_list, letter what);
  /// What waited, if there is no doubt any more, each collection in the order in which it came.
  [[nodiscard]] std::vector<letter> take();

 private:
  std::filesystem::path file_;
  std::string uid_;  ///< Empty until it is known.
  bool is_doubted_ = false;
  std::map<std::string, std::vector<letter>> waiting_;
};

}  // namespace argosy::backends
