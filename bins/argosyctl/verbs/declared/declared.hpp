// SPDX-License-Identifier: Apache-2.0
// This file declares how the settings that a file declares are compared with those that the server
// has: which queues, retry policies and settings would be created, changed and deleted, and which
// of their fields differ. Nothing here changes anything.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bins/argosyctl/client/client.hpp"
#include "messages/submit_file/declared_file.hpp"

namespace argosy::ctl {

/// Keys that were set through the API, with their values as YAML.
using set_keys = std::map<std::string, std::string>;

/// The settings that a file can declare, as the server has them, by name.
struct server_settings {
  std::map<std::string, set_keys> pools;
  set_keys settings;         ///< Those of no pool.
  std::uint64_t change = 0;  ///< The number of the last change of settings; 0: nobody asked for it.
  std::string mark;          ///< The history to which that number belongs.
  std::map<std::string, model::retry_policy> policies;
  std::map<std::string, model::queue_settings> queues;
};

/// Without `with_keys`, pools and settings are not asked for.
[[nodiscard]] result<server_settings> read_server_settings(client& server, bool with_keys);

/// The settings as a document for apply, without what is not set.
[[nodiscard]] std::string document_of(const model::queue_settings& queue);
[[nodiscard]] std::string document_of(const model::retry_policy& policy);

[[nodiscard]] std::string document_of_pool(const std::string& pool, const set_keys& keys);
[[nodiscard]] std::string document_of_settings(const set_keys& keys);

enum class declared_kind : std::uint8_t { policy, queue, pool, settings };

enum class step_kind : std::uint8_t { create, change, keep, remove };

/// A field that differs, as JSON. Empty: it is not set.
struct field_difference {
  std::string field;
  std::string before;
  std::string after;
};

/// A step says whether one queue or policy, or the keys of a pool or of none, are created, changed,
/// deleted or kept.
struct step {
  step_kind what = step_kind::keep;
  declared_kind of = declared_kind::policy;
  std::string name;
  std::vector<field_difference> fields{};
  const model::queue_settings* queue = nullptr;  ///< The declared queue; null if it goes.
  const model::retry_policy* policy = nullptr;   ///< The declared policy, likewise.

  /// The declared keys of a pool or of none, likewise.
  const submit_file::declared_settings* settings = nullptr;

  /// "queue/a", "retry-policy/a", "pool/gpu" or "settings".
  [[nodiscard]] std::string title() const;
  [[nodiscard]] bool of_keys() const {
    return of == declared_kind::pool || of == declared_kind::settings;
  }
};

/// Compares what is declared, policies first, since queues name them. With `prune` what the file
/// does not have is removed, queues first; keys only if the file declares a pool or settings.
/// ec::invalid_argument, a line for each mistake, if a queue names a policy that would not be
/// there. `wanted` must outlive the steps.
[[nodiscard]] result<std::vector<step>> compare(const submit_file::declarations& wanted,
                                                const server_settings& there, bool prune);

}  // namespace argosy::ctl
