// SPDX-License-Identifier: Apache-2.0
// Reads files that declare what a server is to have: documents of the kinds Queue, RetryPolicy,
// Pool and Settings, in any order. The command line applies and compares them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/model/queue.hpp"
#include "runtime/model/retry_policy.hpp"

namespace argosy::submit_file {

struct declared_queue {
  model::queue_settings settings;
  std::string where;  ///< The place of its document, "FILE:LINE:COLUMN".
};

struct declared_policy {
  model::retry_policy policy;
  std::string where;  ///< The same.
};

/// A key that is to be set over the configuration file of argosyd.
struct declared_setting {
  std::string name;   ///< "scheduling.maxNewDecisions", or "disableAway" where it is of a pool.
  std::string value;  ///< As YAML in one line, as the server writes it.
  std::string where;  ///< The place of the value.
};

/// The keys of one pool, or those that are of no pool, that lie over the file; no others do.
struct declared_settings {
  std::string name;  ///< The name of the pool, or "Settings".
  std::vector<declared_setting> settings;
  std::string where;  ///< The same as for queues.
};

/// What a file declares, each kind in its order.
struct declarations {
  std::vector<declared_settings> pools;
  std::optional<declared_settings> settings;
  std::vector<declared_policy> policies;
  std::vector<declared_queue> queues;
};

/// The error, ec::invalid_argument or ec::too_large, names all mistakes of the documents, one a
/// line, as that of read_jobs() does: another kind, what read_queues() and read_policies() refuse,
/// a key or value that a configuration file could not have or that needs a restart of argosyd, and
/// a name that two documents of a kind have. A text that is no YAML has the first mistake only.
[[nodiscard]] result<declarations> read_declarations(std::string_view text, std::string file_name);

}  // namespace argosy::submit_file
