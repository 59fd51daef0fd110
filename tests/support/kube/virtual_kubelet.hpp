// SPDX-License-Identifier: Apache-2.0
// The kubelets of a cluster of the tests: they play the commands of pods that have a node, keep
// their output and rotate it, look for secrets and config maps, and end pods that are deleted. Any
// of them may fall silent. It is used under the lock of its owner.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>

#include "tests/support/kube/cluster_clock.hpp"
#include "tests/support/kube/object_store.hpp"
#include "tests/support/kube/pod_log.hpp"

namespace argosy::testing {

/// What becomes of an answer that follows an output when this is rotated. A kubelet goes on with
/// the new file; its answer ends where the container runtime or the connection has it end.
enum class log_follow : std::uint8_t { ends, goes_on };

class virtual_kubelet {
 public:
  using json = nlohmann::json;
  using key = object_store::key;

  virtual_kubelet(object_store& objects, const cluster_clock& clock)
      : objects_(objects), clock_(clock) {}

  /// Kubelets that do not work look at nothing, and pods that they should end stay.
  void set_works(bool works) { works_ = works; }
  void set_works(const std::string& node, bool works);
  /// Output is rotated whenever there is so much of it: what was before is gone.
  void set_rotation(std::size_t bytes, log_follow follow) {
    rotation_ = bytes;
    follow_ = follow;
  }
  [[nodiscard]] log_follow follow() const { return follow_; }

  /// Takes up the pods that have a node and have not begun, and ends those that are deleted.
  void work();
  /// The command of the pod ends by itself.
  void finish(const key& pod, int exit_code);
  /// The pod goes at once, as when its node's object is deleted.
  void vanish(const key& pod);
  void print(const key& pod, const std::string& text);
  /// Null if no pod of this name was ever there.
  [[nodiscard]] const pod_log* output(const key& pod) const;

 private:
  [[nodiscard]] bool works_for(const json& pod) const;
  void begin(json& pod);
  void end(const key& pod);
  /// What the pod's volumes lack; empty if it is all there.
  [[nodiscard]] std::string missing_volume(const json& pod);
  void tell_event(const json& pod, const std::string& reason, const std::string& message);

  object_store& objects_;
  const cluster_clock& clock_;
  bool works_ = true;
  std::set<std::string> silent_;  ///< Nodes whose kubelets do not work.
  std::size_t rotation_ = 0;
  log_follow follow_ = log_follow::ends;
  std::map<key, pod_log> output_;
};

}  // namespace argosy::testing
