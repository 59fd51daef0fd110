// SPDX-License-Identifier: Apache-2.0
// This file declares how the settings that a file declares are compared with those that the server
// has: which queues and retry policies would be created, changed and deleted, and which of their
// fields differ. Nothing here changes anything.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bins/argosyctl/client/client.hpp"
#include "messages/submit_file/declared_file.hpp"

namespace argosy::ctl {

/// The settings that a file can declare, as the server has them, by name.
struct server_settings {
  std::map<std::string, model::retry_policy> policies;
  std::map<std::string, model::queue_settings> queues;
};

[[nodiscard]] result<server_settings> read_server_settings(client& server);

/// The settings as a document for apply, without what is not set.
[[nodiscard]] std::string document_of(const model::queue_settings& queue);
[[nodiscard]] std::string document_of(const model::retry_policy& policy);

enum class step_kind : std::uint8_t { create, change, keep, remove };

/// A field that differs, as JSON. Empty: it is not set.
struct field_difference {
  std::string field;
  std::string before;
  std::string after;
};

/// A step says whether one queue or policy is created, changed, deleted or kept.
struct step {
  step_kind what = step_kind::keep;
  bool of_queue = false;
  std::string name;
  std::vector<field_difference> fields{};
  const model::queue_settings* queue = nullptr;  ///< The declared queue; null if it goes.
  const model::retry_policy* policy = nullptr;   ///< The declared policy, likewise.

  /// "queue/a" or "retry-policy/a".
  [[nodiscard]] std::string title() const;
};

/// Compares what is declared, policies first, since queues name them. With `prune` what the file
/// does not have is removed, queues first. ec::invalid_argument, a line for each mistake, if a
/// queue names a policy that would not be there. `wanted` must outlive the steps.
[[nodiscard]] result<std::vector<step>> compare(const submit_file::declarations& wanted,
                                                const server_settings& there, bool prune);

}  // namespace argosy::ctl
