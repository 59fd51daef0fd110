// SPDX-License-Identifier: Apache-2.0
// What of the nodes of a snapshot changed since when, for those who keep something about them from
// one round to the next.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace argosy::scheduling {

/// A number that no other object of this process has. A copy gets a number of its own, so that
/// nobody takes it for what it was copied from.
class identity {
 public:
  identity() : value_(next()) {}
  identity(const identity&) : identity() {}
  identity& operator=(const identity&) {
    value_ = next();
    return *this;
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  static std::uint64_t next() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }
  std::uint64_t value_;
};

class node_changes {
 public:
  /// What runs on the node changed. The latest `kept` such notes at least are remembered.
  void note(std::uint32_t node) {
    if (nodes_.size() == 2 * kept) {
      nodes_.erase(nodes_.begin(), nodes_.begin() + std::ptrdiff_t{kept});
      forgotten_ += kept;
    }
    nodes_.push_back(node);
  }
  /// A node came, went or is another than it was.
  void note_other() { ++others_; }

  [[nodiscard]] std::uint64_t others() const noexcept { return others_; }
  /// The position after the last note().
  [[nodiscard]] std::uint64_t now() const noexcept { return forgotten_ + nodes_.size(); }
  /// Calls visit(node) for what was noted after the position, as long as it returns true. Returns
  /// false if it did not, or if notes after the position are forgotten.
  template <class Visit>
  [[nodiscard]] bool visit_since(std::uint64_t position, Visit&& visit) const {
    if (position < forgotten_) return false;
    const auto first = nodes_.begin() + static_cast<std::ptrdiff_t>(position - forgotten_);
    return std::all_of(first, nodes_.end(), visit);
  }

 private:
  static constexpr std::size_t kept = 100'000;

  std::vector<std::uint32_t> nodes_;
  std::uint64_t forgotten_ = 0;
  std::uint64_t others_ = 0;
};

}  // namespace argosy::scheduling
