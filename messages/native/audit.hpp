// SPDX-License-Identifier: Apache-2.0
// The query to the READER for records of the audit trail, and its answer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/model/call_recorded.hpp"

namespace argosy::native {

/// Asks for records, the newest first. Filters are joined by "and"; an empty one lets all pass.
struct list_audit {
  std::string user{};
  std::string method{};  ///< "Service.Method", or the method's name alone.
  model::queue_name queue{};
  std::string outcome{};      ///< An outcome, or "refused": any but "ok".
  std::int64_t since_ns = 0;  ///< Unix time, inclusive.
  std::int64_t until_ns = 0;  ///< Unix time, exclusive; 0: no limit.
  std::uint32_t limit = 0;    ///< How many records a page has at most; 0: as many as there may be.
  std::uint64_t below = 0;    ///< Only records with a lower number; 0: all.
};

struct audit_entry {
  std::int64_t time_ns = 0;
  model::call_recorded call;
};
struct audit_page {
  std::vector<audit_entry> entries;
  std::uint64_t next = 0;  ///< The list_audit::below of the next page; 0: all were given.
};
using audit_page_ptr = std::shared_ptr<const audit_page>;

/// Asks for the callers of recorded calls, the oldest first.
struct list_audit_callers {
  std::uint64_t after = 0;  ///< Only records with a higher number.
  std::uint32_t limit = 1;
};
struct audit_callers {
  /// The number of each record, and ledger::audit_caller_of().
  std::vector<std::pair<std::uint64_t, std::uint64_t>> records;
  bool more = false;
};
using audit_callers_ptr = std::shared_ptr<const audit_callers>;

}  // namespace argosy::native
