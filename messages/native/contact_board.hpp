// SPDX-License-Identifier: Apache-2.0
// What each CLUSTER tells of the contact with its agent to whoever shows it: lists, descriptions of
// jobs and metrics. Written by the CLUSTERs, read from any thread, so that a list of jobs costs no
// messages. It decides nothing.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "runtime/base/clock.hpp"
#include "runtime/ledger/cluster/cluster_effect.hpp"

namespace argosy::native {

struct cluster_contact {
  std::string pool;
  ledger::contact_state state = ledger::contact_state::expected;
  std::int64_t heard_ns = 0;  ///< Unix time; 0: not since this process leads.
  boot_time heard_at{};       ///< When it was heard, or when the process began to expect it.
  std::uint32_t nodes = 0;
  std::uint32_t runs = 0;

  friend bool operator==(const cluster_contact&, const cluster_contact&) = default;
};

class contact_board {
 public:
  void put(const std::string& cluster, const cluster_contact& contact);
  [[nodiscard]] std::optional<cluster_contact> find(const std::string& cluster) const;
  [[nodiscard]] std::map<std::string, cluster_contact> all() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, cluster_contact> contacts_;  ///< Guarded by mutex_.
};

/// Whether nothing is known of what its runs do: it was not heard for a while, or not yet.
[[nodiscard]] bool out_of_contact(const cluster_contact& contact) noexcept;

/// "expected", "connected", "silent" or "gone".
[[nodiscard]] const char* to_string(ledger::contact_state state) noexcept;

}  // namespace argosy::native
