// SPDX-License-Identifier: Apache-2.0
// An API server that takes changes only as long as this process may make them. It is what keeps a
// replica that was paused, or lost its lease, from doing what another replica has begun to do.
#pragma once

#include <functional>
#include <memory>

#include "runtime/base/clock.hpp"
#include "runtime/kube/api.hpp"

namespace argosy::kube {

/// Passes everything on, and gives each request but a GET the time until which it may be sent: a
/// process that was paused before it sent one finds it refused. `until` may be called from any
/// thread. `clock` must outlive it.
[[nodiscard]] std::shared_ptr<api> make_fenced_api(std::shared_ptr<api> real,
                                                   std::function<boot_time()> until,
                                                   const clock_source& clock);

}  // namespace argosy::kube
