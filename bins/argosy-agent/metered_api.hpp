// SPDX-License-Identifier: Apache-2.0
// An API server whose answers and watches are counted, by verb of Kubernetes: get, list, watch,
// log, create, update, patch and delete.
#pragma once

#include <memory>
#include <string>

#include "messages/probes/kube_probe.hpp"
#include "runtime/kube/api.hpp"

namespace argosy {

/// Passes everything on. The clock must outlive it.
[[nodiscard]] std::shared_ptr<kube::api> make_metered_api(std::shared_ptr<kube::api> real,
                                                          std::shared_ptr<probes::kube_probe> probe,
                                                          const clock_source& clock);

/// Names what a watch of this path follows: "/api/v1/namespaces/jobs/pods?labelSelector=..." gives
/// "pods" of "jobs".
[[nodiscard]] probes::kube_probe::followed followed_by(const std::string& path);

/// The verb of Kubernetes for a request of HTTP.
[[nodiscard]] std::string verb_of(const kube::request& what);

}  // namespace argosy
