// SPDX-License-Identifier: Apache-2.0
// The board has one probe of each type. The actors of a process share a board, take their probe
// from it when they start, and so put it onto the board; /metrics shows whatever is there. It may
// be used from any thread. Tests give each system a board of its own.
#pragma once

#include <memory>
#include <mutex>
#include <typeindex>
#include <utility>
#include <vector>

#include "runtime/metrics/probe.hpp"

namespace argosy::metrics {

class board {
 public:
  /// The probe of this type. The first call makes it from the arguments.
  template <class Probe, class... Args>
  std::shared_ptr<Probe> get(Args&&... args) {
    const std::lock_guard lock{mutex_};
    const std::type_index type{typeid(Probe)};
    for (const auto& [known, item] : probes_)
      if (known == type) return std::static_pointer_cast<Probe>(item);
    auto made = std::make_shared<Probe>(std::forward<Args>(args)...);
    probes_.emplace_back(type, made);
    return made;
  }

  /// Takes all probes off the board. Whoever starts afterwards makes its probe anew.
  void clear();

  /// The families of all probes, in the order in which the probes came.
  [[nodiscard]] family_list families() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<std::type_index, std::shared_ptr<probe>>> probes_;  ///< Guarded by mutex_.
};

/// A board of its own for an actor that is given none.
[[nodiscard]] inline std::shared_ptr<board> make_board() {
  return std::make_shared<board>();
}

}  // namespace argosy::metrics
