// SPDX-License-Identifier: Apache-2.0
// Queue settings between the API (api.Queue) and the model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "messages/codec/submit/limits.hpp"
#include "messages/proto/api/submit.pb.h"
#include "runtime/base/result.hpp"
#include "runtime/model/queue.hpp"

namespace argosy::codec {

/// Fails with ec::invalid_argument, naming the field, for a bad name, a factor below 1, empty label
/// keys or values, a subject kind other than User and Group, unknown verbs, fractions outside 0..1,
/// and texts of more than 1,024 bytes or with control characters; with ec::too_large for settings
/// of more than 256 KiB. resource_limits are the limit of all classes together, which Armada
/// ignores. A retry policy that is named twice counts where it stands first. A permission that says
/// what the owners of the same message have anyway is not taken twice.
[[nodiscard]] result<model::queue_settings> from_wire(const api::Queue& in);

/// Fails with ec::invalid_argument, naming the place and what is known, for a limit of a resource
/// or priority class that is not known: such a limit would never hold anything back.
[[nodiscard]] result<void> check_limit_names(const model::queue_settings& settings,
                                             const limit_names& known);

/// How the owners of a queue are shown.
enum class owner_form : std::uint8_t {
  permission,  ///< They stand in the first permission, with every verb, as in Armada.
  /// They stand in user_owners and group_owners, so that from_wire() gives the same settings.
  fields,
};

void to_wire(const model::queue_settings& settings, api::Queue& out,
             owner_form owners = owner_form::permission);

}  // namespace argosy::codec
