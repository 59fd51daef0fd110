// SPDX-License-Identifier: Apache-2.0
// A rights_watch knows which of some rights an agent has. A watch that is open goes on without its
// right, and a request shows that it is refused only when there is something to ask for: so the API
// server is asked again and again. One question tells the rules that hold in a namespace, and so
// whether the rights there are missing. What they do not tell for certain, such as a right to the
// whole cluster, is asked for by itself: at first, when the rules have changed, and now and then.
// Pure: times are given by the caller.
#pragma once

#include <cstddef>
#include <map>
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

  /// Asks for a right, or for the rules of a namespace if it has no verb.
  using question = needed_right;

  /// From now on these are asked for. Without a right that is `needed` no run is begun.
  void add(const std::vector<needed_right>& rights, bool needed);

  /// The questions that are to be asked now. Each has to be answered. Of more than `batch_max` only
  /// so many are asked at a time, those that have been due for longest first.
  [[nodiscard]] std::vector<question> tick(boot_time now);
  [[nodiscard]] static kube::request request_of(const question& what) {
    return what.verb.empty() ? rules_question(what.name_space) : question_of(what);
  }
  void answered(const question& what, const result<kube::answer>& answer, boot_time now);
  /// When tick() has something; boot_time::max(): once all is answered.
  [[nodiscard]] boot_time next_due() const;

  [[nodiscard]] bool is_asking() const noexcept { return under_way_ > 0; }
  /// Something was heard of each that is needed.
  [[nodiscard]] bool are_known() const;
  /// All that are missing for longer than a role that is replaced; those that are needed are left
  /// out unless `with_needed`.
  [[nodiscard]] std::vector<needed_right> missing(bool with_needed, boot_time now) const;
  /// Tells what is needed and has been missing for as long as `least`, as the end of a clause.
  /// Returns nothing if the agent has all, or if nothing but some of several namespaces is closed
  /// to it.
  [[nodiscard]] std::optional<follow_gap> find(boot_time least, boot_time now) const;

 private:
  struct asked_right {
    needed_right right;
    bool needed = false;
    bool known = false;
    std::optional<boot_time> missing_since{};
    boot_time due{};  ///< When it is asked for by itself.
  };
  struct asked_rules {
    bool tell = true;       ///< The API server tells them.
    std::size_t print = 0;  ///< rules_of_agent::print
    boot_time due{};
  };

  static void note(asked_right& one, bool missing, boot_time now);
  void take_rules(const std::string& name_space, const result<kube::answer>& answer, boot_time now);
  [[nodiscard]] const std::string& rules_for(const asked_right& one) const;
  [[nodiscard]] std::optional<follow_gap> any_missing(boot_time least, boot_time now) const;
  [[nodiscard]] bool is_missing_everywhere(const needed_right& right, boot_time least,
                                           boot_time now) const;

  std::vector<asked_right> asked_;
  std::map<std::string, asked_rules> rules_;  ///< By namespace.
  std::size_t under_way_ = 0;                 ///< So many questions are not answered.
  boot_time due_{};
};

}  // namespace argosy::backends
