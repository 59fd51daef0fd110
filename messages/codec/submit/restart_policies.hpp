// SPDX-License-Identifier: Apache-2.0
// The restart policies of pods and their containers. Argosy decides on retries, so that they are
// not carried out, but one that does not exist is a mistake.
#pragma once

#include <string>

#include "messages/proto/k8s/pod.pb.h"
#include "runtime/base/result.hpp"

namespace argosy::codec {

/// Fails with ec::invalid_argument, beginning with the place, for a policy that Kubernetes does not
/// have. `place` is where the pod spec stands.
[[nodiscard]] result<void> check_restart_policies(const k8s::io::api::core::v1::PodSpec& pod,
                                                  const std::string& place);

}  // namespace argosy::codec
