// SPDX-License-Identifier: Apache-2.0
#include "actors/link/armada_link.hpp"

#include <algorithm>
#include <string_view>

#include "actors/caf_error.hpp"
#include "messages/codec/armada/executor_codec.hpp"

namespace argosy::actors {

void open_events::settle(const std::optional<error>& part_failure) {
  if (part_failure && !failure) failure = part_failure;
  if (--waits_for > 0) return;
  if (failure)
    promise.deliver(to_caf(*failure));
  else
    promise.deliver(atom::ok_v);
}

armada_link::armada_link(const ledger::armada_cluster& of)
    : rules(of),
      core({.cluster = model::cluster_name{of.name},
            .name_of = codec::name_of_run,
            .runs_of = codec::runs_of}) {}

bool armada_link::may_serve(const std::string& user) const {
  return std::find(rules.users.begin(), rules.users.end(), user) != rules.users.end();
}

native::message_list armada_link::encode(
    const ledger::armada_answer& answer, const armada_gateway_config& config,
    std::vector<std::pair<model::run_key, std::string>>& unfit) const {
  std::deque<std::string> out;
  if (!answer.cancel.empty()) out.push_back(codec::encode_cancels(answer.cancel));
  const codec::lease_rules with{rules.name,
                                pool,
                                rules.node_label,
                                rules.priority_class,
                                config.preemptible_classes,
                                config.floating_resources};
  std::map<std::string_view, const model::node_info*> nodes;
  for (const auto& node : core.node_infos()) nodes[node.name] = &node;
  for (const auto& order : answer.leases) {
    // A node that does not tell the label has its own name there, as nodes mostly do.
    std::string value = order.node;
    if (const auto node = nodes.find(order.node); node != nodes.end())
      for (const auto& [key, label] : node->second->labels)
        if (key == rules.node_label) value = label;
    auto lease = codec::encode_lease(order, with, value);
    if (lease)
      out.push_back(std::move(*lease));
    else
      unfit.emplace_back(order.run, lease.error().detail);
  }
  out.push_back(codec::encode_lease_end());
  return std::make_shared<const std::deque<std::string>>(std::move(out));
}

void armada_link::taken(const ledger::armada_taken& effect) {
  const auto end = waiting.upper_bound(effect.ticket);
  std::vector<open_events_ptr> done;
  for (auto at = waiting.begin(); at != end; ++at) done.push_back(at->second);
  waiting.erase(waiting.begin(), end);
  for (const auto& open : done)
    open->settle(effect.outcome ? std::nullopt : std::optional{effect.outcome.error()});
}

}  // namespace argosy::actors
