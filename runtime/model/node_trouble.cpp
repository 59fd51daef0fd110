// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/node_trouble.hpp"

namespace argosy::model {

std::string trouble_of(const node_info& node) {
  std::string out;
  for (const auto& each : node.taints) {
    if (each.key == unlabelled_taint)
      return "it has no label " + each.value +
             ", by whose value its agent places pods; give it one of its own (kubectl label node " +
             node.name + " " + each.value + "=" + node.name +
             "), or let the agent place by kubernetes.placement: nodeName";
    if (each.key == silent_kubelet_taint)
      out = "its kubelet is silent: Kubernetes has not heard of it";
    else if (each.key == unready_kubelet_taint && out.empty())
      out = "its kubelet says that it is not ready";
  }
  return out;
}

}  // namespace argosy::model
