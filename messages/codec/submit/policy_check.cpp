// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/submit/policy_check.hpp"

#include "runtime/access/pods/annotation_demands.hpp"
#include "runtime/access/pods/judge_pod.hpp"

namespace argosy::codec {

result<void> check_policy(const submit_item& item, std::size_t index, const std::string& queue,
                          const access::pod_policy& policy) {
  constexpr const char* holder = "api.podPolicies of argosyd";
  std::vector<access::pod_demand> outside{
      {access::pod_control::name_space, "namespace", item.name_space, false}};
  for (const auto& [name, value] : item.message->annotations())
    access::add_annotation_demand(name, value, outside);
  for (int i = 0; i < item.message->services_size(); ++i)
    outside.push_back({access::pod_control::service, "services[" + std::to_string(i) + "].type",
                       api::ServiceType_Name(item.message->services(i).type()), false});
  for (int i = 0; i < item.message->ingress_size(); ++i) {
    const auto place = "ingress[" + std::to_string(i) + "]";
    outside.push_back({access::pod_control::service, place, "Ingress", false});
    const auto before = outside.size();
    for (const auto& [name, value] : item.message->ingress(i).annotations())
      access::add_annotation_demand(name, value, outside);
    for (auto at = before; at < outside.size(); ++at)
      outside[at].place = place + "." + outside[at].place;
  }
  if (const auto refused = access::judge_pod(outside, policy, queue, holder); !refused.empty())
    return fail(ec::invalid_argument, access::text_of(refused, item_place(index) + "."));
  const auto refused = access::judge_pod(item.pod->checked->demands, policy, queue, holder);
  if (refused.empty()) return {};
  return fail(ec::invalid_argument, access::text_of(refused, pod_place(index, item) + "."));
}

}  // namespace argosy::codec
