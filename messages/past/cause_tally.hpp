// SPDX-License-Identifier: Apache-2.0
// This file declares how the causes that kept one job from starting are counted over many rounds:
// by cause, and by spans of rounds with the same cause.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "messages/proto/argosy/explain.pb.h"

namespace argosy::past {

/// What some rounds that began together made of the job.
struct cause_entry {
  model::pool_name pool;  ///< Empty: the rounds of all pools.
  std::string code;
  std::string why;           ///< A clause.
  std::uint64_t rounds = 1;  ///< How many rounds the entry stands for.
  std::uint64_t round = 0;   ///< The number of the first of them.
  std::int64_t began_ns = 0;
};

/// It keeps the last `spans_max` spans, and the counts of all.
class cause_tally {
 public:
  explicit cause_tally(std::size_t spans_max = 200) : spans_max_(spans_max) {}

  /// Takes the entries in the order of their rounds.
  void add(const cause_entry& entry);
  /// Writes causes, spans and verdict.
  void write(v1::JobHistory& out) const;

 private:
  struct cause_count {
    std::string why;
    std::uint64_t rounds = 0;
  };
  struct cause_span {
    cause_entry first;
    std::uint64_t rounds = 0;
    std::uint64_t last_round = 0;
    std::int64_t last_ns = 0;
    bool open = true;  ///< The next entry of its pool may go on with it.
  };

  [[nodiscard]] cause_span* open_span(const cause_entry& entry);

  std::size_t spans_max_;
  std::map<std::pair<std::string, std::string>, cause_count> causes_;  ///< By pool and code.
  std::deque<cause_span> spans_;  ///< In the order of their begins.
};

}  // namespace argosy::past
