// SPDX-License-Identifier: Apache-2.0
// This file declares the seam through which whoever leads looks after the generations of the log
// that are not written any more. It is apart from event_log, so that a thread of its own can use it
// while the JOURNAL appends.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/model/identifiers.hpp"

namespace argosy::eventlog {

/// What the server says about one generation of the log.
struct generation_facts {
  model::log_generation generation{};
  std::int64_t created_ns = 0;  ///< The Unix time at which its log was created.
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;      ///< The bytes that the records take on disk.
  std::uint64_t bytes_max = 0;  ///< The largest value of `bytes`; 0: there is no limit.
  bool given_up = false;        ///< Whether empty() was called for it.
  /// The name of the server of a cluster that leads its stream; empty: none, or it stands alone.
  std::string leader{};
  bool others_follow =
      false;  ///< All other servers that have copies are there, and have all of it.
};

/// All functions block, and fail as those of event_log do. One thread uses an object.
class generation_keeper {
 public:
  virtual ~generation_keeper() = default;

  /// Lists the generations that there are, ascending.
  [[nodiscard]] virtual result<std::vector<generation_facts>> look() = 0;

  /// Has the server erase all records of this generation, which gives their disk back within some
  /// seconds. Positions and names are not used again. The generation must not be the one that is
  /// written.
  virtual result<void> empty(model::log_generation generation) = 0;

  /// In a cluster of servers, has them choose another leader for the generation that is written if
  /// `server`, the name of one of them, leads it. Returns whether it did; false for a log that no
  /// servers lead.
  [[nodiscard]] virtual result<bool> lead_elsewhere(const std::string& /*server*/) { return false; }

  /// Makes blocked calls return soon and all later ones fail, with ec::cancelled. May be called
  /// from any thread.
  virtual void close() = 0;
};

}  // namespace argosy::eventlog
