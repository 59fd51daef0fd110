// SPDX-License-Identifier: Apache-2.0
// A lineage tells to which history of the log a place belongs. Whoever goes on later, behind an
// event or a page of a list, says with his token where he was: at a position, and under which claim
// of the lead that was written. The log holds all claims, so that a place can be told from the same
// position of a history that was given up when an older state was put back. A restart, a take-over
// and a roll-over only add to the history, and all places before them stay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/model/identifiers.hpp"

namespace argosy::model {

/// A position of the log, and the claim under which it was written; claim 0: it is before the first
/// claim that is known.
struct log_place {
  log_position position{};
  std::uint64_t claim = 0;

  friend bool operator==(const log_place&, const log_place&) = default;
};

/// From this position on records were written under this claim.
struct claim_begin {
  log_position from{};
  /// The hash of the claim's batch. No two claims have the same, since it covers all before it.
  std::uint64_t claim = 0;
  /// Another history may have gone on from here: a store was put back, or its log was lost.
  bool joins = false;

  friend bool operator==(const claim_begin&, const claim_begin&) = default;
};

class lineage {
 public:
  /// So many claims are known; older ones are forgotten, and places under them are refused.
  static constexpr std::size_t claims_max = 4'096;

  lineage() = default;
  /// The claims stand in the order of the log.
  explicit lineage(std::vector<claim_begin> claims) : claims_(std::move(claims)) {}

  /// Adds a claim behind all others.
  void add(const claim_begin& next);

  [[nodiscard]] log_place place_at(log_position position) const;
  /// Whether the place is of this history, as far as claims tell. The last claim goes on for ever.
  [[nodiscard]] bool has(const log_place& place) const {
    return place_at(place.position).claim == place.claim;
  }
  /// Whether a number that names no claim may be of a history that was given up.
  [[nodiscard]] bool was_put_back() const noexcept;
  [[nodiscard]] const std::vector<claim_begin>& claims() const noexcept { return claims_; }

 private:
  std::vector<claim_begin> claims_;
};

}  // namespace argosy::model
