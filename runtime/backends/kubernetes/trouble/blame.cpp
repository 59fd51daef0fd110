// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/trouble/blame.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/model/agent_run.hpp"

namespace argosy::backends {

namespace {

using row = std::pair<std::string_view, const char*>;

/// These words of kubelets tell of the pod and not of the node.
constexpr std::array by_word{
    row{"AppArmor", model::reason_unsupported},
    row{"NodePorts", model::reason_refused_here},
    row{"PodFeatureUnsupported", model::reason_unsupported},
    row{"PodLevelResourcesNotSupported", model::reason_unsupported},
    row{"PodOSNotSupported", model::reason_unsupported},
    row{"PodOSSelectorNodeLabelDoesNotMatch", model::reason_unsupported},
    row{"SysctlForbidden", model::reason_unsupported},
};

/// Kubernetes' scheduler says these of volumes and ports of nodes, at which Argosy does not look.
constexpr std::array<std::string_view, 5> wishes{"persistentvolumeclaim", "PersistentVolumeClaims",
                                                 "volume node affinity", "persistent volumes",
                                                 "free ports"};

}  // namespace

const char* reason_of_kubelet(std::string_view word) {
  const auto* const found = std::ranges::find(by_word, word, &row::first);
  return found == by_word.end() ? model::reason_backend_error : found->second;
}

const char* reason_of_no_place(std::string_view sentence) {
  const bool is_wish = std::ranges::any_of(
      wishes, [&](auto part) { return sentence.find(part) != std::string_view::npos; });
  return is_wish ? model::reason_refused_here : model::reason_backend_error;
}

}  // namespace argosy::backends
