// SPDX-License-Identifier: Apache-2.0
// A rights_watch knows which of some rights an agent has. A watch that is open goes on without its
// right, and a request shows that it is refused only when there is something to ask for: so the API
// server is asked again and again. Pure: times are given by the caller.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "runtime/backends/kubernetes/link/follow_gaps.hpp"
#include "runtime/backends/kubernetes/trouble/needed_rights.hpp"
#include "runtime/base/clock.hpp"

namespace argosy::backends {

class rights_watch {
 public:
  /// How many questions may be under way.
  static constexpr std::size_t batch_max = 32;
  /// A role that is replaced is missing for a shorter time.
  static constexpr boot_time patience = std::chrono::seconds{4};

  rights_watch() = default;
  explicit rights_watch(const std::vector<needed_right>& rights) { add(rights); }
  /// From now on these are asked for as well.
  void add(const std::vector<needed_right>& rights);

  /// The questions that are to be asked now, by their places. Each has to be answered. Of more than
  /// `batch_max` rights only so many are asked for at a time, the others later.
  [[nodiscard]] std::vector<std::size_t> tick(boot_time now);
  [[nodiscard]] kube::request question(std::size_t place) const {
    return question_of(asked_[place].right);
  }
  void answered(std::size_t place, const result<kube::answer>& answer, boot_time now);
  /// When tick() has something; boot_time::max(): once all is answered.
  [[nodiscard]] boot_time next_due() const;

  [[nodiscard]] bool is_asking() const noexcept { return under_way_ > 0; }
  /// Each of them was answered at least once.
  [[nodiscard]] bool are_known() const noexcept { return unknown_ == 0; }
  /// All that are missing for longer than a role that is replaced.
  [[nodiscard]] std::vector<needed_right> missing(boot_time now) const;
  /// Tells what has been missing for as long as `least`, as the end of a clause. Returns nothing if
  /// the agent has all, or if nothing but some of several namespaces is closed to it.
  [[nodiscard]] std::optional<follow_gap> find(boot_time least, boot_time now) const;

 private:
  struct asked_right {
    needed_right right;
    bool known = false;
    std::optional<boot_time> missing_since{};
  };

  [[nodiscard]] std::optional<follow_gap> any_missing(boot_time least, boot_time now) const;
  [[nodiscard]] bool is_missing_everywhere(const needed_right& right, boot_time least,
                                           boot_time now) const;

  std::vector<asked_right> asked_;
  std::size_t unknown_ = 0;
  std::size_t next_ = 0;       ///< The place of the next question.
  std::size_t under_way_ = 0;  ///< So many questions are not answered.
  boot_time due_{};
};

}  // namespace argosy::backends
