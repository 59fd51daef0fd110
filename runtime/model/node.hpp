// SPDX-License-Identifier: Apache-2.0
// A node of a worker cluster, as its agent reports it, and the cluster itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/model/identifiers.hpp"
#include "runtime/model/job.hpp"

namespace argosy::model {

struct taint {
  std::string key;
  std::string value;
  std::string effect;  ///< NoSchedule, PreferNoSchedule or NoExecute.

  friend bool operator==(const taint&, const taint&) = default;
};

struct node_info {
  node_name name;  ///< Unique within its cluster.
  resource_list total;
  resource_list allocatable;  ///< total minus what others hold.
  label_list labels;
  std::vector<taint> taints;
  bool unschedulable = false;

  friend bool operator==(const node_info&, const node_info&) = default;
};

/// Nodes are known to the round under "cluster/node".
[[nodiscard]] inline node_path node_id(const cluster_name& cluster, const node_name& node) {
  return node_path{cluster + "/" + node};
}

/// The taint that nodes of backend `process` carry; the gateway adds the matching toleration to
/// every job that such a node can run (job_shape::process_obstacle is empty).
inline constexpr const char* process_backend_taint = "argosy.io/process";
inline constexpr const char* kubernetes_backend = "kubernetes";

/// What the control plane has to know of a backend.
struct backend_traits {
  bool outlives_agent = false;  ///< Runs go on when their agent dies, whatever their lease says.
  bool only_processes = false;  ///< It has no node for jobs that processes cannot carry out.
  bool ignores_namespaces = false;

  friend bool operator==(const backend_traits&, const backend_traits&) = default;
};

/// The traits of the backends of which agents say no more than the name.
[[nodiscard]] inline backend_traits traits_of(std::string_view backend) {
  const bool is_process = backend == "process";
  return {backend == kubernetes_backend, is_process, is_process || backend == "simulated"};
}

/// A namespace of which a cluster refuses the runs of everybody.
struct closed_namespace {
  std::string name_space;
  std::string kind;           ///< One of refusal_to_all.
  std::string why;            ///< The cluster's words.
  std::int64_t since_ns = 0;  ///< Unix time of the first refusal.

  friend bool operator==(const closed_namespace&, const closed_namespace&) = default;
};

struct cluster_info {
  cluster_name name;
  model::pool_name pool = "default";
  std::string backend;  ///< The name that settings::known_backends has.
  /// Given by the control plane to each new store of an agent, and higher than those before; 0 in
  /// the hello of an agent that has none yet.
  model::incarnation incarnation{};
  /// Runs of an older incarnation may still be alive. The control plane says so, never an agent.
  bool unsettled = false;
  /// The longest lease and kill grace, in nanoseconds, that an agent of the cluster may hold; 0
  /// if none was granted one. The control plane says so, never an agent.
  std::int64_t lease_ns = 0;
  std::int64_t kill_grace_ns = 0;
  /// Names the machine and the data directory of the agent; a copy of either has another name.
  std::string place{};
  std::string boot{};              ///< Names the boot of the machine in which the agent runs.
  model::agent_process process{};  ///< A random number of the agent's process.
  /// The namespaces of the jobs that it takes, in which a `*` stands for any characters; empty:
  /// all.
  std::vector<std::string> namespaces{};
  /// What the next leader has to know, in order. The control plane says so, never an agent.
  std::vector<closed_namespace> closed{};
  backend_traits said{};  ///< What the agent says of its backend; nothing: see traits_of().
  /// The Unix time since which its agents have said without a break that the leases of their pods
  /// lapse; 0: the last one did not. The control plane says so, never an agent.
  std::int64_t lapse_since_ns = 0;

  [[nodiscard]] backend_traits traits() const {
    return said == backend_traits{} ? traits_of(backend) : said;
  }
  friend bool operator==(const cluster_info&, const cluster_info&) = default;
};

/// Whether the lease of a run lapses though it is a pod, by when it was leased. All orders for such
/// a run have said so.
[[nodiscard]] inline bool pods_lapse(const cluster_info& cluster, std::int64_t leased_ns) noexcept {
  return cluster.lapse_since_ns != 0 && leased_ns >= cluster.lapse_since_ns;
}

/// An operator wants no new work on a cluster or node; what runs there goes on.
struct cordon {
  std::string by;  ///< Who wants it.
  std::string reason;
  std::int64_t since_ns = 0;  ///< Unix time.

  friend bool operator==(const cordon&, const cordon&) = default;
};

}  // namespace argosy::model
