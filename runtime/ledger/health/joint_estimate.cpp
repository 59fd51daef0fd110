// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/health/joint_estimate.hpp"

#include <algorithm>
#include <limits>

namespace argosy::ledger {

namespace {

/// How far an estimate goes along the gradient with one outcome.
constexpr double step_size = 0.05;
/// The farthest that one outcome moves an estimate. Near 1 the gradient of a failure is so steep
/// that a single one would otherwise throw the estimate to the other end.
constexpr double step_max = 0.1;
/// Estimates stay so far away from 0 and 1, where the gradient has no value.
constexpr double margin = 0.01;

void move(estimate& what, double gradient, bool well, std::int64_t time_ns) {
  const auto step = std::clamp(step_size * gradient, -step_max, step_max);
  what.ok = std::clamp(what.ok + step, margin, 1 - margin);
  constexpr auto most = std::numeric_limits<std::uint32_t>::max();
  if (what.runs < most) ++what.runs;
  if (!well && what.failed < most) ++what.failed;
  what.time_ns = time_ns;
}

}  // namespace

bool joint_estimate::is_known(const estimate& what, std::int64_t now_ns) const noexcept {
  return now_ns - what.time_ns < age_max_ns_;
}

template <class Name>
estimate joint_estimate::known(const side<Name>& of, const Name& name, std::int64_t now_ns) const {
  const auto found = of.find(name);
  return found != of.end() && is_known(found->second, now_ns) ? found->second : estimate{};
}

void joint_estimate::ended(const model::node_path& node, const model::queue_name& queue, bool well,
                           std::int64_t time_ns) {
  auto on = known(nodes_, node, time_ns);
  auto of = known(queues_, queue, time_ns);
  const auto p = on.ok;
  const auto q = of.ok;
  move(on, well ? 1 / p : -q / (1 - p * q), well, time_ns);
  move(of, well ? 1 / q : -p / (1 - p * q), well, time_ns);
  nodes_[node] = on;
  queues_[queue] = of;
}

void joint_estimate::node_failed(const model::node_path& node, std::int64_t time_ns) {
  auto on = known(nodes_, node, time_ns);
  move(on, -1 / (1 - on.ok), false, time_ns);
  nodes_[node] = on;
}

estimate joint_estimate::node(const model::node_path& name, std::int64_t now_ns) const {
  return known(nodes_, name, now_ns);
}

estimate joint_estimate::queue(const model::queue_name& name, std::int64_t now_ns) const {
  return known(queues_, name, now_ns);
}

}  // namespace argosy::ledger
