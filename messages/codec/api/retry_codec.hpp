// SPDX-License-Identifier: Apache-2.0
// Retry policies between the API (api.RetryPolicy) and the ledger.
#pragma once

#include "messages/proto/api/submit.pb.h"
#include "runtime/base/result.hpp"
#include "runtime/model/retry_policy.hpp"

namespace argosy::codec {

/// Every QUEUE has all policies, so that none may be large. This counts the encoded bytes.
inline constexpr std::size_t retry_policy_bytes_max = 65'536;

/// Fails with ec::invalid_argument for a policy that is too large and, naming the field, for what
/// model::validate() refuses, for actions that are neither FAIL nor RETRY, and for a static amount
/// that is no quantity.
[[nodiscard]] result<model::retry_policy> from_wire(const api::RetryPolicy& in);

/// A static amount is written in bytes with a binary suffix, however it was written before.
void to_wire(const model::retry_policy& policy, api::RetryPolicy& out);

}  // namespace argosy::codec
