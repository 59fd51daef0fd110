// SPDX-License-Identifier: Apache-2.0
// Callers of any thread share something by share_core: each has a place as long as its object
// lives.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/border/share_core.hpp"

namespace argosy::border {

class shares : public std::enable_shared_from_this<shares> {
 public:
  /// Gives its place back when the last copy goes; null: it was refused.
  using place = std::shared_ptr<const void>;

  explicit shares(const share_limits& limits) : core_(limits) {}
  shares(const shares&) = delete;
  shares& operator=(const shares&) = delete;

  /// Why a place was refused, if it was.
  struct outcome {
    place held;
    share_core::answer answer = share_core::answer::taken;
  };
  [[nodiscard]] outcome take(const std::string& caller, std::uint64_t bytes = 0);
  [[nodiscard]] std::uint64_t places() const;
  [[nodiscard]] std::uint64_t places_of(const std::string& caller) const;

 private:
  mutable std::mutex mutex_;
  share_core core_;  ///< Guarded by mutex_.
};

}  // namespace argosy::border
