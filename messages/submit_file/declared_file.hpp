// SPDX-License-Identifier: Apache-2.0
// Reads files that declare what a server is to have: documents of kind Queue and of kind
// RetryPolicy, in any order. The command line applies and compares them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/model/queue.hpp"
#include "runtime/model/retry/retry_policy.hpp"

namespace argosy::submit_file {

struct declared_queue {
  model::queue_settings settings;
  std::string where;  ///< The place of its document, "FILE:LINE:COLUMN".
};

struct declared_policy {
  model::retry_policy policy;
  std::string where;  ///< The same.
};

/// The policies and queues that a file declares, in its order.
struct declarations {
  std::vector<declared_policy> policies;
  std::vector<declared_queue> queues;
};

/// The error, ec::invalid_argument or ec::too_large, names all mistakes of the documents, one a
/// line, as that of read_jobs() does: another kind, what read_queues() and read_policies() refuse,
/// and a name that two documents of a kind have. A text that is no YAML has the first mistake only.
[[nodiscard]] result<declarations> read_declarations(std::string_view text, std::string file_name);

}  // namespace argosy::submit_file
