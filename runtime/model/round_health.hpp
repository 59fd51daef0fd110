// SPDX-License-Identifier: Apache-2.0
// This file declares what is known of how well nodes and queues do, as rounds hand it on to later
// rounds.
#pragma once

#include <cstdint>
#include <string>

namespace argosy::model {

/// The estimated probability that a run does not fail because of one node or queue, with the number
/// of runs that it rests on.
struct estimate {
  double ok = 0.5;
  std::uint32_t runs = 0;    ///< The outcomes since the estimate began.
  std::uint32_t failed = 0;  ///< How many of them failed.
  std::int64_t time_ns = 0;  ///< Unix time of the last outcome.

  [[nodiscard]] double failure() const noexcept { return 1 - ok; }

  friend bool operator==(const estimate&, const estimate&) = default;
};

/// A node takes no new work for a while.
struct quarantine {
  std::int64_t until_ns = 0;   ///< Unix time; 0: the node is not quarantined.
  std::int64_t period_ns = 0;  ///< How long it lasts from its begin to its end.
  std::string why;

  friend bool operator==(const quarantine&, const quarantine&) = default;
};

/// The estimates of one node or queue.
struct health_record {
  estimate machine;                 ///< Refused and lost runs failed; all others went well.
  estimate results;                 ///< From what the users' commands came to.
  std::string last_failure;         ///< Why a run was refused or lost last; of nodes alone.
  struct quarantine quarantine {};  ///< Only nodes have one.

  friend bool operator==(const health_record&, const health_record&) = default;
};

}  // namespace argosy::model
