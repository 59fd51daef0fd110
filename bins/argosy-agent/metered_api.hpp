// SPDX-License-Identifier: Apache-2.0
// An API server whose answers and watches are counted.
#pragma once

#include <memory>
#include <string>

#include "messages/probes/agent/kube_probe.hpp"
#include "runtime/kube/api.hpp"

namespace argosy {

/// Passes everything on. The clock must outlive it.
[[nodiscard]] std::shared_ptr<kube::api> make_metered_api(std::shared_ptr<kube::api> real,
                                                          std::shared_ptr<probes::kube_probe> probe,
                                                          const clock_source& clock);

/// Names what a watch of this path follows: "/api/v1/namespaces/jobs/pods?labelSelector=..." gives
/// "pods".
[[nodiscard]] std::string name_of_collection(const std::string& path);

}  // namespace argosy
