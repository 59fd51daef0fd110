// SPDX-License-Identifier: Apache-2.0
// The rules by which several planes are one control plane. A plane is a process with its store.
// Where the log names planes, a batch is committed when the stores of two of them have it, and
// whoever leads next asks all but one to bind themselves to its epoch: one of those has everything
// that was ever committed. It is pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/model/plane.hpp"

namespace argosy::ledger {

/// So many planes decide together. With two the loss of either one would end everything.
inline constexpr std::size_t planes_wanted = 3;

/// Whether a store that ends with the one record has more than one that ends with the other.
[[nodiscard]] bool is_farther(const model::record_name& one, const model::record_name& other);

/// In the order of their ids.
using plane_set = std::vector<model::plane>;

[[nodiscard]] bool has_plane(const plane_set& planes, const std::string& id);
/// Whether one of the sets has it.
[[nodiscard]] bool has_plane(const std::vector<plane_set>& sets, const std::string& id);

/// A plane's store has this record.
struct confirmation {
  std::string plane;
  model::record_name record;
};

/// Whether a batch of the plane `leader` is committed once log and own store have it: two planes of
/// each set have it, or all of a smaller one. The sets are those that the log names, and while a
/// change of them is not committed, both those before and those after it.
[[nodiscard]] bool is_confirmed(const std::vector<plane_set>& sets, const std::string& leader,
                                const std::set<std::string>& confirmed);

/// Whether these planes are all but one of each set; all of a set that has less than three.
[[nodiscard]] bool is_quorum(const std::vector<plane_set>& sets,
                             const std::set<std::string>& answered);

/// A plane confirms nothing below this epoch. It outlives the process.
struct plane_binding {
  model::epoch epoch{};
  std::string asker;  ///< The only plane that may claim this epoch by it.

  friend bool operator==(const plane_binding&, const plane_binding&) = default;
};

struct binding_question {
  std::string asker;
  model::epoch epoch{};
  model::record_name end{};  ///< Where the asker's store ends.
};

struct binding_answer {
  std::string plane;          ///< Who answers.
  model::epoch asked{};       ///< The epoch of the question.
  bool is_bound = false;      ///< To that epoch, and to the asker.
  bool hears_leader = false;  ///< That is why it did not bind itself.
  model::epoch highest{};     ///< The highest epoch to which it is bound, or which its store has.
  model::record_name end;     ///< Where its store ends.
};

/// The binding after the question; nothing: the plane must refuse.
[[nodiscard]] std::optional<plane_binding> bound_by(const plane_binding& before,
                                                    const binding_question& question);

enum class claim_progress : std::uint8_t {
  waits,
  granted,  ///< The epoch may be claimed.
  outdone,  ///< Another store ends farther, and its plane has to claim.
  refused,  ///< Too few can bind themselves to this epoch, or a leader is heard.
};

/// A plane's question to the others whether it may claim an epoch. It lasts only as long as the
/// plane's store ends where it did, and not over a restart.
class claim_round {
 public:
  /// The plane must be bound to the epoch itself, durably.
  claim_round(std::string plane, model::epoch epoch, model::record_name end,
              std::vector<plane_set> sets);

  /// The planes that have to be asked.
  [[nodiscard]] plane_set others() const;
  claim_progress take(const binding_answer& answer);
  [[nodiscard]] claim_progress progress() const { return progress_; }
  [[nodiscard]] model::epoch epoch() const { return epoch_; }
  [[nodiscard]] const model::record_name& end() const { return end_; }
  /// The planes that have bound themselves, and this one.
  [[nodiscard]] const std::set<std::string>& bound() const { return bound_; }

 private:
  std::string plane_;
  model::epoch epoch_;
  model::record_name end_;
  std::vector<plane_set> sets_;
  std::set<std::string> bound_;
  claim_progress progress_ = claim_progress::waits;
};

/// Which planes the leader has to name next; nothing: those that are named stay. `ready` wait for
/// the lead and have everything that is committed. A plane replaces one that was at its place, or
/// the one with the id `forgotten`, and the set grows from one to three at once.
[[nodiscard]] std::optional<plane_set> next_planes(const plane_set& named,
                                                   const model::plane& leader,
                                                   const plane_set& ready,
                                                   std::string_view forgotten = {});

}  // namespace argosy::ledger
