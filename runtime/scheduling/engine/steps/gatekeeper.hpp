// SPDX-License-Identifier: Apache-2.0
// The limits that a new gang has to pass before it is tried: tokens, decisions, caps of queues, and
// floating resources. What starts is taken off them.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/scheduling/engine/queues/books.hpp"
#include "runtime/scheduling/engine/queues/gang.hpp"
#include "runtime/scheduling/engine/steps/preemption_budget.hpp"
#include "runtime/scheduling/engine/steps/trial.hpp"
#include "runtime/scheduling/plan.hpp"

namespace argosy::scheduling::engine {

class gatekeeper {
 public:
  gatekeeper(const world& w, books& sums, const trial& under_way, const preemption_budget& budget);

  /// What bars a gang, which counts as if it ran already; `placed` if nothing does. The first
  /// limit that it does not pass counts.
  [[nodiscard]] reason barred(const gang& g, std::uint32_t queue);
  /// Whether the gang would bring the use of a floating resource above its bound, or so high that
  /// more evicted jobs could not return than the preemption budget covers.
  [[nodiscard]] bool lacks_floating(const gang& g, std::uint32_t queue) const;
  /// A new gang starts, and each of its members that is not left out.
  void start(const gang& g, std::uint32_t queue);
  /// The number of new jobs that started.
  [[nodiscard]] std::uint64_t tokens_used() const { return tokens_used_; }

 private:
  [[nodiscard]] reason lacks_tokens(const gang& g, const queue_book& book) const;
  /// Sets more_.
  void sum_new_amounts(const gang& g);

  const tables& t_;
  const config& conf_;
  books& books_;
  const trial& trial_;
  const preemption_budget& budget_;
  std::vector<std::int64_t> more_;  ///< What those jobs of a gang request that do not run yet.
  std::uint64_t decisions_ = 0;
  std::uint64_t tokens_used_ = 0;
};

}  // namespace argosy::scheduling::engine
