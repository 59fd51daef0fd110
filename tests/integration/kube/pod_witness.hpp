// SPDX-License-Identifier: Apache-2.0
// Sees the pods of a cluster by a watch of its own, and counts the jobs that ran twice. All
// functions are safe to call from any thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/kube/api.hpp"

namespace argosy::testing {

class pod_witness final : public kube::follower {
 public:
  void listed(std::vector<nlohmann::json> objects) override {
    const std::lock_guard guard{mutex_};
    std::set<std::string> there;
    for (const auto& each : objects) there.insert(uid_of(each));
    // Pods of an earlier test are still there.
    if (!std::exchange(has_list_, true)) before_ = there;
    for (auto& [uid, pod] : pods_) pod.is_over = pod.is_over || !there.contains(uid);
    for (const auto& each : objects) see(each, false);
  }
  void changed(kube::change what, nlohmann::json object) override {
    const std::lock_guard guard{mutex_};
    see(object, what == kube::change::deleted);
  }
  void interrupted(const error&) override {}

  /// The pods that there have been.
  [[nodiscard]] std::size_t count() const {
    const std::lock_guard guard{mutex_};
    return pods_.size();
  }
  /// The pods that have been bound to a node and have not ended.
  [[nodiscard]] std::size_t live() const {
    const std::lock_guard guard{mutex_};
    std::size_t out = 0;
    for (const auto& [uid, pod] : pods_) out += is_live(pod) ? 1 : 0;
    return out;
  }
  [[nodiscard]] std::size_t succeeded() const {
    const std::lock_guard guard{mutex_};
    std::size_t out = 0;
    for (const auto& [uid, pod] : pods_) out += pod.succeeded ? 1 : 0;
    return out;
  }
  /// The jobs that had two live pods at a time, or two that succeeded.
  [[nodiscard]] std::size_t doubled() const {
    const std::lock_guard guard{mutex_};
    auto all = doubled_;
    std::set<std::string> done;
    for (const auto& [uid, pod] : pods_)
      if (pod.succeeded && !done.insert(pod.job).second) all.insert(pod.job);
    return all.size();
  }
  [[nodiscard]] std::vector<std::string> names() const {
    const std::lock_guard guard{mutex_};
    std::vector<std::string> out;
    for (const auto& [uid, pod] : pods_) out.push_back(pod.name);
    return out;
  }

 private:
  struct seen_pod {
    std::string job;
    std::string name;
    bool is_bound = false;
    bool is_over = false;  ///< It has ended or is gone.
    bool succeeded = false;
  };

  static std::string uid_of(const nlohmann::json& pod) { return pod["metadata"].value("uid", ""); }
  static bool is_live(const seen_pod& pod) { return pod.is_bound && !pod.is_over; }

  void see(const nlohmann::json& object, bool is_gone) {
    if (before_.contains(uid_of(object))) return;
    auto& pod = pods_[uid_of(object)];
    pod.name = object["metadata"].value("name", "");
    pod.job = object["metadata"]
                  .value("labels", nlohmann::json::object())
                  .value("armada_job_id", std::string{});
    const auto phase = object.value("status", nlohmann::json::object()).value("phase", "");
    pod.succeeded = pod.succeeded || phase == "Succeeded";
    pod.is_over = pod.is_over || is_gone || phase == "Succeeded" || phase == "Failed";
    pod.is_bound = pod.is_bound || object["spec"].contains("nodeName") || phase == "Running";
    if (!is_live(pod)) return;
    for (const auto& [uid, other] : pods_)
      if (&other != &pod && other.job == pod.job && is_live(other)) doubled_.insert(pod.job);
  }

  mutable std::mutex mutex_;
  std::map<std::string, seen_pod> pods_;
  std::set<std::string> doubled_;
  std::set<std::string> before_;  ///< The pods that were there at the beginning.
  bool has_list_ = false;
};

}  // namespace argosy::testing
