// SPDX-License-Identifier: Apache-2.0
// The API server of a cluster over HTTPS (HTTP/2 where the server offers it). One thread does all
// the talking; another one reads credentials while that takes time.
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"
#include "runtime/kube/api.hpp"
#include "runtime/kube/credentials/cluster_access.hpp"
#include "runtime/kube/https/https_options.hpp"

namespace argosy::kube {

/// Makes a client; nothing is asked yet. `clock` must outlive it, and `seed` is for the random part
/// of its waits. Its destructor answers what is under way with ec::cancelled and must not be called
/// within a callback; watches may outlive it and are told nothing any more. An access with an
/// `origin` counts anew, the server's address included, from the first request on after a file of
/// the origin was changed. ec::invalid_argument names the option or the address that is wrong.
[[nodiscard]] result<std::unique_ptr<api>> make_https_api(const cluster_access& access,
                                                          const https_options& options,
                                                          const clock_source& clock,
                                                          std::uint64_t seed,
                                                          access_origin origin = {});

}  // namespace argosy::kube
