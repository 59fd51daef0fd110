// SPDX-License-Identifier: Apache-2.0
// The board on which each CLUSTER writes the contact with its agent. Lists, descriptions of jobs
// and metrics read it from any thread, so that a list of jobs costs no messages. The board decides
// nothing.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "messages/native/cluster.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/ledger/cluster/cluster_core.hpp"

namespace argosy::native {

struct cluster_contact {
  model::pool_name pool;
  ledger::contact_state state = ledger::contact_state::expected;
  std::int64_t heard_ns = 0;  ///< Unix time; 0: the agent was not heard since this process leads.
  boot_time heard_at{};       ///< When the agent was heard, or when the process began to expect it.
  std::uint32_t nodes = 0;
  std::uint32_t runs = 0;
  /// Why the agent cannot begin runs and does not know how the others are, and what it lacks.
  model::backend_trouble trouble{};
  /// The namespaces that its agent takes, as cluster_info::namespaces.
  std::vector<std::string> namespaces{};
  std::vector<ledger::closure> closures{};
  model::backend_traits traits{};

  friend bool operator==(const cluster_contact&, const cluster_contact&) = default;
};

/// The contact of a cluster whose agent was heard at `heard_ns`, in Unix time.
[[nodiscard]] cluster_contact contact_of(const ledger::cluster_core& cluster,
                                         std::int64_t heard_ns);
[[nodiscard]] cluster_status status_of(const model::cluster_info& cluster,
                                       const cluster_contact& contact);

class contact_board {
 public:
  void put(const model::cluster_name& cluster, const cluster_contact& contact);
  void erase(const model::cluster_name& cluster);
  [[nodiscard]] std::optional<cluster_contact> find(const model::cluster_name& cluster) const;
  [[nodiscard]] std::map<model::cluster_name, cluster_contact> all() const;
  /// The clusters that serve the namespace and have not left, but for one.
  [[nodiscard]] std::vector<model::cluster_name> serving(const std::string& name_space,
                                                         const model::cluster_name& but) const;

 private:
  mutable std::mutex mutex_;
  /// The contacts by cluster, guarded by mutex_.
  std::map<model::cluster_name, cluster_contact> contacts_;
};

/// Whether nobody knows what the cluster's runs do: its agent was not heard for a while, or not
/// yet, or does not know it either.
[[nodiscard]] bool out_of_contact(const cluster_contact& contact) noexcept;
/// Whether the agent is heard, and does not reach what runs its jobs.
[[nodiscard]] bool is_away(const cluster_contact& contact) noexcept;
/// The Unix time at which it was known last how the cluster's runs are; 0: it never was.
[[nodiscard]] std::int64_t known_ns(const cluster_contact& contact) noexcept;

/// The namespace of jobs that name none: Kubernetes' `default`, unless no cluster serves that and
/// the clusters together name exactly one other. Clusters without Kubernetes do not count, since
/// they do not look at it.
[[nodiscard]] std::string usual_namespace(const contact_board& contacts);

/// The name of the state: "expected", "connected", "silent" or "gone".
[[nodiscard]] const char* to_string(ledger::contact_state state) noexcept;
/// Likewise, or "away".
[[nodiscard]] const char* state_of(const cluster_contact& contact) noexcept;

}  // namespace argosy::native
