// SPDX-License-Identifier: Apache-2.0
// Queue settings between the API (api.Queue) and the model.
#pragma once

#include "messages/proto/api/submit.pb.h"
#include "runtime/base/result.hpp"
#include "runtime/model/queue.hpp"

namespace argosy::codec {

/// ec::invalid_argument naming the field: a bad name, a factor below 1, empty label keys or values,
/// a subject kind other than User and Group, fractions outside 0..1, texts of more than 1,024 bytes
/// or with control characters. ec::too_large for settings of more than 256 KiB.
[[nodiscard]] result<model::queue_settings> from_wire(const api::Queue& in);

void to_wire(const model::queue_settings& settings, api::Queue& out);

}  // namespace argosy::codec
