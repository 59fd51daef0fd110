// SPDX-License-Identifier: Apache-2.0
// Whether the policy of a queue allows what one item of a submission asks for. It is private to
// submit/.
#pragma once

#include <cstddef>
#include <string>

#include "messages/codec/submit/submit_request.hpp"
#include "runtime/access/pods/pod_policy.hpp"
#include "runtime/base/result.hpp"

namespace argosy::codec {

/// Looks whether the queue's pods may have what the item asks for; its pod has been checked before.
/// What the pod leaves open, the agents fill in as the policy wants it. ec::invalid_argument names
/// the place and the key.
[[nodiscard]] result<void> check_policy(const submit_item& item, std::size_t index,
                                        const std::string& queue, const access::pod_policy& policy);

}  // namespace argosy::codec
