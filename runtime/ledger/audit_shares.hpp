// SPDX-License-Identifier: Apache-2.0
// Says which records of the audit trail leave when there are too many: the oldest one of the caller
// who has most, again and again, so that nobody can push out what others did. It is an index of the
// records by caller, which takes some 100 bytes for each, and follows from the records alone.
// RETENTION owns it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "runtime/model/call_recorded.hpp"

namespace argosy::ledger {

/// Stands for the caller to whom the record counts. All whom nobody knows are one, since they can
/// call themselves what they like.
[[nodiscard]] std::uint64_t audit_caller_of(const model::call_recorded& call);

class audit_shares {
 public:
  /// Adds a record, whose number is higher than all before.
  void add(std::uint64_t number, std::uint64_t caller);
  /// Forgets the records with a lower number, which have expired.
  void forget_below(std::uint64_t number);
  /// Takes out records until `most` are left, but no more than `room` of them. Returns their
  /// numbers in the order in which they leave.
  [[nodiscard]] std::vector<std::uint64_t> take_surplus(std::uint64_t most, std::size_t room);

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// The number of the record that was added last; 0: none was.
  [[nodiscard]] std::uint64_t last() const noexcept { return last_; }

 private:
  /// The one whose oldest record is older comes first of two with as many.
  struct rank {
    std::uint64_t records = 0;
    std::uint64_t oldest = 0;
    std::uint64_t caller = 0;

    friend bool operator<(const rank& a, const rank& b) {
      return a.records != b.records ? a.records > b.records : a.oldest < b.oldest;
    }
  };
  /// The numbers of one caller's records. A caller with few must not take much.
  using numbers = std::set<std::uint64_t>;

  static rank rank_of(std::uint64_t caller, const numbers& of);
  /// Takes out the caller's oldest record, and the caller if it was the last.
  void drop_oldest(std::map<std::uint64_t, numbers>::iterator caller);

  std::map<std::uint64_t, numbers> callers_;
  std::set<rank> by_size_;
  std::uint64_t size_ = 0;
  std::uint64_t last_ = 0;
};

}  // namespace argosy::ledger
