// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/cluster/drains.hpp"

#include <utility>

namespace argosy::ledger {

void drains::apply(const model::operation& now, std::int64_t time_ns, change_list& changes) {
  if (now.is_running())
    of_[now.node] = {now, time_ns};
  else
    of_.erase(now.node);
  changes.emplace_back(put_operation{now});
}

const model::operation* drains::find(const model::node_name& node) const {
  const auto found = of_.find(node);
  return found == of_.end() ? nullptr : &found->second.drain;
}

const model::operation* drains::holds_for(const model::node_name& node) const {
  const auto* own = find(node);
  return own != nullptr ? own : find({});
}

model::operation with_left(model::operation drain, std::size_t left) {
  if (left > drain.left()) drain.total = drain.done + left;
  drain.done = drain.total - left;
  return drain;
}

}  // namespace argosy::ledger
