// SPDX-License-Identifier: Apache-2.0
// A log of which nodes changed since when. Whoever remembers something about nodes keeps a position
// in it, and asks for the nodes that changed after that: all of them, those of a kind, or those of
// a profile. Each node comes once however often it changed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace argosy::scheduling::engine {

class change_log {
 public:
  /// Lists are numbered: all nodes, then one for each kind, then one for each profile.
  static constexpr std::uint32_t everything = 0;

  /// Takes a kind and a profile for each node.
  void open(const std::vector<std::uint32_t>& kinds, std::uint32_t kind_count,
            const std::vector<std::uint32_t>& profiles, std::uint32_t profile_count);

  [[nodiscard]] std::uint32_t list_of_kind(std::uint32_t kind) const { return 1 + kind; }
  [[nodiscard]] std::uint32_t list_of_profile(std::uint32_t profile) const {
    return 1 + kind_count_ + profile;
  }

  void note(std::uint32_t node) { fresh_.push_back(node); }
  /// How often room grew on a node; what a trial that was undone gave back does not count.
  [[nodiscard]] std::uint64_t growths() const { return growths_; }
  void note_growth() { ++growths_; }
  void begin_trial() { kept_growths_ = growths_; }
  void undo_trial() { growths_ = kept_growths_; }
  /// The position after the last note.
  [[nodiscard]] std::uint64_t now() const { return filed_ + fresh_.size(); }

  /// The position up to which visit() knows of changes.
  [[nodiscard]] std::uint64_t filed() const { return filed_; }
  /// Makes the noted changes known to visit().
  void refresh() {
    if (!fresh_.empty()) file_fresh();
  }
  /// Calls visit(node) for each node of the list that changed after the position, latest first,
  /// until it returns false.
  template <class Visit>
  void visit(std::uint32_t list, std::uint64_t since, Visit&& visit) const {
    if (lists_[list].position <= since) return;
    const auto which = list == everything ? 0 : list <= kind_count_ ? 1 : 2;
    for (auto node = lists_[list].front; node != nobody && positions_[node] > since;
         node = links_[node][which].next)
      if (!visit(node)) return;
  }

 private:
  static constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

  struct link {
    std::uint32_t previous = nobody;
    std::uint32_t next = nobody;
  };
  struct recent_first {
    std::uint64_t position = 0;  ///< The position of the list's last change.
    std::uint32_t front = nobody;
  };

  void file_fresh();
  void move_to_front(std::uint32_t node, std::uint32_t which, std::uint32_t number,
                     std::uint64_t position);
  void file(std::uint32_t node, std::uint64_t position) {
    const auto [kind, profile] = memberships_[node];
    positions_[node] = position;
    move_to_front(node, 0, everything, position);
    move_to_front(node, 1, kind, position);
    move_to_front(node, 2, profile, position);
  }

  std::uint32_t kind_count_ = 0;
  std::uint64_t filed_ = 0;
  std::uint64_t growths_ = 0;
  std::uint64_t kept_growths_ = 0;    ///< Those before the trial under way.
  std::vector<std::uint32_t> fresh_;  ///< The nodes noted since the last refresh().
  std::vector<recent_first> lists_;
  std::vector<std::uint64_t> positions_;
  /// The links of each node: among all, in its kind, in its profile.
  std::vector<std::array<link, 3>> links_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> memberships_;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> once_;  ///< Scratch memory of file_fresh().
};

}  // namespace argosy::scheduling::engine
