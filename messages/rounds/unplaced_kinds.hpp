// SPDX-License-Identifier: Apache-2.0
// This file declares the memory of why jobs got no place in a round. It goes by what jobs ask for
// and not by job: one entry tells of all jobs of a queue that are alike, also of those that the
// round never tried, and of those that come later.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "runtime/base/ulid.hpp"
#include "runtime/model/identifiers.hpp"
#include "runtime/scheduling/plan.hpp"
#include "runtime/scheduling/snapshot.hpp"
#include "runtime/scheduling/tables.hpp"

namespace argosy::rounds {

class unplaced_kinds {
 public:
  /// So many kinds are kept one by one: those with the most jobs.
  static constexpr std::size_t kinds_max = 20'000;

  /// What jobs of a kind have in common. Gangs are alike if they declare the same.
  struct kind {
    model::queue_name queue;
    scheduling::shape_id shape = scheduling::none;
    std::uint32_t gang_terms = scheduling::none;  ///< `none`: single jobs.

    friend auto operator<=>(const kind&, const kind&) = default;
  };
  struct cause {
    scheduling::reason code = scheduling::reason::placed;
    std::uint64_t jobs = 0;
    ulid example;  ///< One of these jobs; nil if the round named none.
  };

  unplaced_kinds() = default;
  /// `from` is the snapshot that the plan was made from.
  unplaced_kinds(const scheduling::plan& plan, const scheduling::snapshot& from,
                 std::size_t most = kinds_max);

  /// Why the waiting job got no place, by its number in the snapshot; nothing if the round said
  /// nothing of jobs like it.
  [[nodiscard]] std::optional<scheduling::reason> find(const scheduling::snapshot& from,
                                                       std::uint32_t job) const;
  /// Shapes have other numbers from now on; see delta_fold::settle().
  void renumber(const std::vector<scheduling::shape_id>& shapes);

  [[nodiscard]] const std::map<kind, std::vector<cause>>& kinds() const noexcept { return kinds_; }

 private:
  void note(kind of, const cause& why);
  /// Keeps so many kinds. What is said of the others is said of their queue, unless the round said
  /// something of all the rest of it.
  void keep(std::size_t most);

  std::map<kind, std::vector<cause>> kinds_;
  /// Jobs that the round placed, of which nothing is said until they are leased.
  absl::flat_hash_set<ulid, scheduling::id_hash> placed_;
  /// What is said of jobs of a queue that are of none of these kinds.
  std::map<model::queue_name, std::vector<cause>> others_;
};

}  // namespace argosy::rounds
