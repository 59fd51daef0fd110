// SPDX-License-Identifier: Apache-2.0
// An executor of Armada without Kubernetes, as far as the control plane sees it: it asks for
// leases, makes pods of them and reports what they do. A test says when. It refuses what a real one
// could not read.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "messages/proto/armada/executorapi.pb.h"
#include "runtime/base/result.hpp"

namespace argosy::testing {

struct fake_pod {
  executorapi::JobRunLease lease;
  std::string node;  ///< Empty: the pod was not made yet.
  api::JobState state = api::LEASED;
  bool told = false;  ///< Its end was reported, and the report answered.
};

class fake_executor {
 public:
  /// Carries an encoded LeaseRequest, and returns the messages of the answer.
  using lease_call = std::function<result<std::vector<std::string>>(const std::string&)>;
  /// Carries an encoded EventList.
  using report_call = std::function<result<void>(const std::string&)>;

  fake_executor(std::string cluster, lease_call lease, report_call report)
      : name(std::move(cluster)), lease_(std::move(lease)), report_(std::move(report)) {}

  /// One exchange. Runs that are cancelled are gone with it, unless `stubborn` keeps them.
  result<void> exchange() {
    const auto answer = lease_(request().SerializeAsString());
    if (!answer) return fail(answer.error());
    cancelled.clear();
    bool ended = false;
    for (const auto& bytes : *answer) {
      executorapi::LeaseStreamMessage message;
      EXPECT_TRUE(message.ParseFromString(bytes));
      EXPECT_FALSE(ended) << "something comes after the end";
      if (message.has_lease()) take(message.lease());
      if (message.has_cancel_runs())
        for (const auto& run : message.cancel_runs().job_run_ids_to_cancel()) cancel(run);
      ended = message.has_end();
    }
    EXPECT_TRUE(ended) << "the answer has no end";
    return {};
  }

  /// Makes the pods of all leases.
  void submit() {
    for (auto& [run, pod] : pods)
      if (pod.state == api::LEASED) {
        pod.state = api::PENDING;
        pod.node = node_of(pod.lease);
      }
  }
  /// Makes the pods run that are pending, and reports it.
  result<void> run() {
    submit();
    auto list = events();
    for (auto& [run, pod] : pods)
      if (pod.state == api::PENDING) {
        pod.state = api::RUNNING;
        auto& event = *add(list, pod).mutable_jobrunrunning();
        event.set_job_id(pod.lease.job().job_id());
        event.set_run_id(run);
      }
    return report_(list.SerializeAsString());
  }
  /// Ends all running pods well, and reports it.
  result<void> succeed() {
    auto list = events();
    for (auto& [run, pod] : pods)
      if (pod.state == api::RUNNING) pod.state = api::SUCCEEDED;
    return tell_ends(list);
  }
  /// Ends all running pods with this exit code, and reports it.
  result<void> fail_with(int exit_code) {
    auto list = events();
    for (auto& [run, pod] : pods)
      if (pod.state == api::RUNNING) pod.state = api::FAILED;
    exit_code_ = exit_code;
    return tell_ends(list);
  }
  /// Reports the ends again that were not answered, as a real one does every 15 s.
  result<void> reconcile() {
    auto list = events();
    return tell_ends(list);
  }
  /// Reports that the run came back.
  result<void> give_back(const std::string& run, bool attempted) {
    auto list = events();
    auto& event = *add(list, pods.at(run)).mutable_jobrunerrors();
    event.set_job_id(pods.at(run).lease.job().job_id());
    event.set_run_id(run);
    auto& error = *event.add_errors();
    error.set_terminal(true);
    error.mutable_podleasereturned()->set_message("no node took the pod");
    error.mutable_podleasereturned()->set_run_attempted(attempted);
    return report_(list.SerializeAsString());
  }
  result<void> report(const executorapi::EventList& list) {
    return report_(list.SerializeAsString());
  }

  /// How many pods are in the state.
  [[nodiscard]] std::size_t count(api::JobState state) const {
    std::size_t out = 0;
    for (const auto& [run, pod] : pods) out += pod.state == state ? 1 : 0;
    return out;
  }

  std::string name;
  std::string pool = "default";
  std::vector<std::string> nodes{"k1"};
  std::string cpu = "4";
  std::uint32_t leases_max = 100;
  bool stubborn = false;                 ///< Pods do not go away when they are cancelled.
  std::map<std::string, fake_pod> pods;  ///< By run.
  std::vector<std::string> cancelled;    ///< By the last answer.

 private:
  using quantity_map =
      google::protobuf::Map<std::string, k8s::io::apimachinery::pkg::api::resource::Quantity>;

  executorapi::LeaseRequest request() const {
    executorapi::LeaseRequest out;
    out.set_executor_id(name);
    out.set_pool(pool);
    bool unsubmitted = false;
    for (const auto& node : nodes) {
      auto& info = *out.add_nodes();
      info.set_name(node);
      info.set_pool(pool);
      (*info.mutable_labels())["kubernetes.io/hostname"] = node;
      auto& all = *info.mutable_total_resources();
      all["cpu"].set_string(cpu);
      all["memory"].set_string("16Gi");
      all["ephemeral-storage"].set_string("100Gi");
      all["pods"].set_string("110");
      all["hugepages-2Mi"].set_string("0");
      auto& others = (*info.mutable_non_armada_allocated_resources())[0];
      (*others.mutable_resources())["memory"].set_string("1Gi");
      for (const auto& [run, pod] : pods)
        if (pod.node == node && !pod.told) (*info.mutable_run_ids_by_state())[run] = pod.state;
    }
    for (const auto& [run, pod] : pods)
      if (pod.node.empty()) {
        out.add_unassigned_job_run_ids(run);
        unsubmitted = true;
      }
    out.set_max_jobs_to_lease(unsubmitted ? 0 : leases_max);
    return out;
  }

  void take(const executorapi::JobRunLease& lease) {
    const auto& job = lease.job();
    EXPECT_NE(lease.job_run_id(), "");
    EXPECT_NE(lease.queue(), "");
    EXPECT_NE(lease.jobset(), "");
    EXPECT_NE(lease.user(), "");
    EXPECT_NE(job.job_id(), "");
    EXPECT_TRUE(job.has_objectmeta());
    EXPECT_NE(job.objectmeta().namespace_(), "");
    EXPECT_TRUE(job.mainobject().has_pod_spec());
    EXPECT_TRUE(job.mainobject().pod_spec().has_pod_spec());
    for (const auto& object : job.objects()) EXPECT_TRUE(object.has_objectmeta());
    EXPECT_NE(node_of(lease), "");
    pods.try_emplace(lease.job_run_id(), fake_pod{lease, {}, api::LEASED, false});
  }
  void cancel(const std::string& run) {
    cancelled.push_back(run);
    if (!stubborn) pods.erase(run);
  }
  static std::string node_of(const executorapi::JobRunLease& lease) {
    const auto& selector = lease.job().mainobject().pod_spec().pod_spec().nodeselector();
    const auto at = selector.find("kubernetes.io/hostname");
    return at == selector.end() ? "" : at->second;
  }

  static executorapi::EventList events() { return {}; }
  armadaevents::EventSequence::Event& add(executorapi::EventList& list, const fake_pod& pod) const {
    auto& sequence = *list.add_events();
    sequence.set_queue(pod.lease.queue());
    sequence.set_job_set_name(pod.lease.jobset());
    auto& out = *sequence.add_events();
    out.mutable_created()->set_seconds(1'700'000'000);
    return out;
  }
  result<void> tell_ends(executorapi::EventList& list) {
    std::vector<fake_pod*> ended;
    for (auto& [run, pod] : pods) {
      if (pod.told || (pod.state != api::SUCCEEDED && pod.state != api::FAILED)) continue;
      ended.push_back(&pod);
      auto& event = add(list, pod);
      if (pod.state == api::SUCCEEDED) {
        event.mutable_jobrunsucceeded()->set_job_id(pod.lease.job().job_id());
        event.mutable_jobrunsucceeded()->set_run_id(run);
        continue;
      }
      auto& failed = *event.mutable_jobrunerrors();
      failed.set_job_id(pod.lease.job().job_id());
      failed.set_run_id(run);
      auto& error = *failed.add_errors();
      error.set_terminal(true);
      auto& why = *error.mutable_poderror();
      why.set_message("a container has failed");
      why.add_containererrors()->set_exit_code(exit_code_);
    }
    auto done = report_(list.SerializeAsString());
    for (auto* pod : ended) pod->told = done.has_value();
    return done;
  }

  lease_call lease_;
  report_call report_;
  int exit_code_ = 1;
};

}  // namespace argosy::testing
