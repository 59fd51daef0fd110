// SPDX-License-Identifier: Apache-2.0
// The round_view answers what people ask of rounds, without the COORDINATOR: it repeats each step
// that the COORDINATOR did with its snapshot, in the same order, and so has the same one, with the
// same numbers in it. An EXPLAINER owns it; it knows no actor and is not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "messages/native/round_report.hpp"
#include "messages/native/settings.hpp"
#include "messages/rounds/delta_fold.hpp"
#include "messages/rounds/round_history.hpp"
#include "messages/rounds/round_trends.hpp"
#include "runtime/scheduling/round.hpp"

namespace argosy::rounds {

/// This and the next two are steps of a delta_fold: fold() of a node, and set_aside().
struct node_folded {
  native::node_delta_ptr delta;
  bool held = false;
};
struct queue_left {
  model::queue_name queue;
  std::shared_ptr<const ledger::place_request> part;  ///< Null: none.
  std::string why;                                    ///< As for round_history::set_silent().
};
struct node_left {
  model::node_path node;
};
/// All steps of a cut were done.
struct cut_settled {
  std::vector<model::pool_name> pools;           ///< The pools that get rounds.
  std::map<model::queue_name, double> slowed{};  ///< As in share_list.
};
struct round_done {
  std::shared_ptr<const scheduling::plan> plan;
  scheduling::round_params params;
  std::uint64_t number = 0;
  std::int64_t took_ns = 0;
};
struct round_discarded {
  model::pool_name pool;
  std::string why;
};
using view_step =
    std::variant<native::queue_delta_ptr, node_folded, queue_left, node_left, cut_settled,
                 round_done, round_discarded, native::round_settings_ptr>;
using view_steps = std::vector<view_step>;

class round_view {
 public:
  using config_ptr = round_history::config_ptr;

  round_view(config_ptr common, std::map<std::string, config_ptr> by_pool);

  void take(const view_step& step);

  [[nodiscard]] const delta_fold& fold() const { return fold_; }
  [[nodiscard]] const round_history& history() const { return history_; }
  [[nodiscard]] const std::map<model::queue_name, double>& slowed() const { return slowed_; }
  /// Reports what the last round of each pool did.
  [[nodiscard]] native::round_report_ptr report() const {
    return history_.report(fold_, slowed_, trends_.all());
  }
  /// Says what whoever submits these jobs should know; empty if there is nothing to say.
  [[nodiscard]] std::string note(const std::vector<std::shared_ptr<const model::job_header>>& jobs,
                                 const ledger::unfit_rules& rules) const;

 private:
  void carry_out(const native::queue_delta_ptr& step);
  void carry_out(const node_folded& step) { static_cast<void>(fold_.fold(*step.delta, step.held)); }
  void carry_out(const queue_left& step);
  void carry_out(const node_left& step) { fold_.set_aside(step.node); }
  void carry_out(const cut_settled& step);
  void carry_out(const round_done& step);
  void carry_out(const round_discarded& step) { history_.discarded(step.pool, step.why); }
  void carry_out(const native::round_settings_ptr& step);

  config_ptr common_;
  delta_fold fold_;
  round_history history_;
  round_trends trends_;
  std::map<model::queue_name, double> slowed_;
};

}  // namespace argosy::rounds
