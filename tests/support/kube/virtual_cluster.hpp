// SPDX-License-Identifier: Apache-2.0
// A Kubernetes cluster in memory: nodes, pods, services, ingresses and whatever a test puts there,
// what its API server answers, a scheduler, and kubelets that play the commands of pods. README.md
// says how a test makes it an unpleasant one. All functions are safe to call from any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/kube/cluster_clock.hpp"
#include "tests/support/kube/cluster_quotas.hpp"
#include "tests/support/kube/cluster_refusals.hpp"
#include "tests/support/kube/kube_request.hpp"
#include "tests/support/kube/object_store.hpp"
#include "tests/support/kube/virtual_kubelet.hpp"
#include "tests/support/kube/virtual_scheduler.hpp"

namespace argosy::testing {

/// The place of somebody who follows an output: behind so many lines of it.
struct kube_log_place {
  kube_request what;
  std::uint64_t lines = 0;
  std::uint64_t gone = 0;  ///< So many lines had been rotated away.
};

/// The place of a watch: what comes after this version, of these objects.
struct kube_watch {
  kube_request what;
  std::uint64_t after = 0;
  std::uint64_t life = 0;  ///< A watch of an earlier life has been cut.
};

class virtual_cluster {
 public:
  using json = nlohmann::json;

  void add_node(const std::string& name, const json& labels = json::object());
  /// Puts any object there, or changes it: of "secrets", "persistentvolumeclaims" and so on.
  void put(const std::string& kind, json object);
  void change(const std::string& kind, const std::string& name_space, const std::string& name,
              const std::function<void(json&)>& how);
  void erase(const std::string& kind, const std::string& name_space, const std::string& name);

  /// What is refused before anything else is looked at.
  cluster_refusals refusals;
  void refuse(kube_refusal what) { refusals.add(std::move(what)); }
  void set_quota(kube_quota quota);
  void remove_quota(const std::string& name_space, const std::string& name);
  cluster_clock clock;

  /// Pods find no place while the scheduler does not work. Then they do.
  void set_scheduler(bool works);
  /// What the scheduler says of pods whose names have this part, instead of placing them.
  void scheduler_says(const std::string& part, scheduler_word word);
  void scheduler_says_nothing();

  /// Kubelets that do not work look at nothing. Then they do.
  void set_kubelet(bool works);
  /// The same of one node, whose condition Ready is unknown meanwhile.
  void set_kubelet(const std::string& node, bool works);
  void set_log_rotation(std::size_t bytes, log_follow follow = log_follow::ends);
  void print(const std::string& name_space, const std::string& pod, const std::string& text);
  /// The command of a pod that sleeps ends.
  void finish(const std::string& name_space, const std::string& pod, int exit_code = 0);
  /// Cordons the node and evicts its pods, as `kubectl drain` does.
  void drain(const std::string& node);
  /// Somebody deletes a pod by hand.
  void delete_by_hand(const std::string& name_space, const std::string& pod);

  /// Ends all watches, and forgets what was before: who resumes gets 410.
  void cut_watches(bool forget);

  [[nodiscard]] kube_answer ask(const kube_request& what);
  /// What a watch is refused with, if it is; then nothing follows.
  [[nodiscard]] std::optional<kube_answer> refused(const kube_request& what);
  [[nodiscard]] kube_watch begin(const kube_request& what);
  /// The next lines of a watch, or a bookmark if nothing happens for a while. Empty: it has ended.
  [[nodiscard]] std::string next(kube_watch& at);

  /// What comes of an output that is followed; empty if that is nothing for a while. The answer is
  /// over when the container has ended, and when its output was rotated, unless that goes on.
  [[nodiscard]] std::optional<std::string> next(kube_log_place& at);
  /// How far the output is of which all was told that this request asks for.
  [[nodiscard]] kube_log_place begin_log(const kube_request& what);

  /// The names of the objects of a kind, "NAMESPACE/NAME", in order.
  [[nodiscard]] std::vector<std::string> names(const std::string& kind);
  /// The object, or null.
  [[nodiscard]] json object(const std::string& kind, const std::string& name_space,
                            const std::string& name);
  /// The requests that came to the cluster with this verb whose path has this part, in order.
  [[nodiscard]] std::vector<kube_request> asked(const std::string& verb, const std::string& part);
  /// Waits until an object of the kind is there whose text has this part; false after 20 s.
  [[nodiscard]] bool wait_for(const std::string& kind, const std::string& part);
  /// Waits until there are so many such requests; false after 20 s.
  [[nodiscard]] bool wait_for_requests(const std::string& verb, const std::string& part,
                                       std::size_t count);

 private:
  kube_answer create(const kube_place& at, const kube_request& what);
  kube_answer remove(const kube_place& at, const kube_request& what);
  kube_answer replace(const kube_place& at, const kube_request& what);
  kube_answer list(const kube_place& at, const kube_request& what);
  kube_answer log(const kube_place& at, const kube_request& what);
  /// Has scheduler and kubelets do their work, and wakes who waits for changes.
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  object_store objects_;
  cluster_quotas quotas_{objects_};
  virtual_scheduler scheduler_{objects_};
  virtual_kubelet kubelet_{objects_, clock};
  std::vector<kube_request> asked_;
  std::uint64_t life_ = 1;
  bool schedules_ = true;
};

}  // namespace argosy::testing
