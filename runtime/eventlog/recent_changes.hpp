// SPDX-License-Identifier: Apache-2.0
// recent_changes knows in which queues and job sets jobs have changed lately, and up to which
// position of the log, so that whoever shows the jobs of one of them need not look again when
// others have changed. It may be used from any thread.
#pragma once

#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/model/identifiers.hpp"

namespace argosy::eventlog {

/// Stands for a name: FNV-1a of its bytes in 32 bits. Two names may have the same, and then
/// the change of one looks like that of both.
using name_print = std::uint32_t;
[[nodiscard]] name_print print_of(std::string_view name) noexcept;

/// The last positions of changes by name. It knows a bounded number of names.
class recent_names {
 public:
  explicit recent_names(std::size_t most) : most_(most) {}

  void note(name_print name, model::log_position position);
  /// Forgets all names; what changed up to the position is not known any more.
  void forget(model::log_position position);
  /// Finds the names that changed behind the position. It gives nothing if they are not all known,
  /// or if there are more than `most`.
  [[nodiscard]] std::optional<std::vector<name_print>> since(model::log_position position,
                                                             std::size_t most) const;

 private:
  void make_room();

  std::size_t most_;
  /// Before the first change nothing is known.
  model::log_position known_behind_{std::numeric_limits<std::uint64_t>::max()};
  std::unordered_map<name_print, model::log_position> last_;
};

class recent_changes {
 public:
  struct names {
    std::optional<std::vector<name_print>> queues;
    std::optional<std::vector<name_print>> job_sets;
  };

  /// It knows this many names of each kind.
  explicit recent_changes(std::size_t most = 512) : queues_(most), job_sets_(most) {}

  /// Jobs of the set have changed in the record at the position. Positions come in their order.
  void note(std::string_view queue, std::string_view job_set, model::log_position position);
  /// Any jobs may have changed up to the position.
  void forget(model::log_position position);
  /// Where jobs have changed behind the position; of each kind nothing if that is not known, or if
  /// it is more than `most`.
  [[nodiscard]] names since(model::log_position position, std::size_t most) const;

 private:
  mutable std::mutex guard_;  ///< Guards what follows.
  recent_names queues_;
  recent_names job_sets_;
};

}  // namespace argosy::eventlog
