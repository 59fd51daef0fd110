// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/job_variables.hpp"

#include <array>

#include "messages/codec/submit/gang.hpp"
#include "messages/codec/submit/own_annotations.hpp"

namespace argosy::codec {

model::label_list job_variables(const model::start_run& order, const log::v1::JobSpec& spec) {
  static constexpr std::array<std::pair<const char*, const char*>, 3> of_gang{
      {{"GANG_ID", gang_id_key},
       {"GANG_CARDINALITY", gang_cardinality_key},
       {"GANG_NODE_UNIFORMITY_LABEL_NAME", gang_uniformity_key}}};
  model::label_list env{{"ARGOSY_JOB_ID", to_string(order.run.job)},
                        {"ARGOSY_RUN", to_string(order.run)},
                        {"ARGOSY_QUEUE", order.queue},
                        {"ARGOSY_JOB_SET", order.job_set},
                        {"ARMADA_JOB_ID", to_string(order.run.job)},
                        {"ARMADA_QUEUE", order.queue},
                        {"ARMADA_JOB_SET_ID", order.job_set}};
  for (const auto& [variable, annotation] : of_gang) {
    const auto at = spec.annotations().find(annotation);
    if (at == spec.annotations().end()) continue;
    env.emplace_back(std::string{"ARGOSY_"} + variable, at->second);
    env.emplace_back(std::string{"ARMADA_"} + variable, at->second);
  }
  if (const auto at = spec.annotations().find(array_key); at != spec.annotations().end()) {
    const auto slash = at->second.find('/');
    env.emplace_back("ARGOSY_ARRAY_INDEX", at->second.substr(0, slash));
    env.emplace_back("ARGOSY_ARRAY_COUNT", at->second.substr(slash + 1));
  }
  if (order.gang_nodes.empty()) return env;
  std::string hosts;
  for (const auto& node : order.gang_nodes) hosts.append(hosts.empty() ? "" : ",").append(node);
  env.emplace_back("ARGOSY_GANG_RANK", std::to_string(order.gang_rank));
  env.emplace_back("ARGOSY_GANG_SIZE", std::to_string(order.gang_nodes.size()));
  env.emplace_back("ARGOSY_GANG_HOSTS", hosts);
  env.emplace_back("ARGOSY_GANG_LEADER", order.gang_nodes.front().str());
  return env;
}

}  // namespace argosy::codec
