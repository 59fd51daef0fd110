// SPDX-License-Identifier: Apache-2.0
// This file declares the part of declared that deals with keys of argosyd, those of pools and those
// of none, which lie over its configuration file.
#pragma once

#include "bins/argosyctl/verbs/declared/declared.hpp"
#include "messages/proto/argosy/settings.pb.h"

namespace argosy::ctl {

/// Reads what was set through the API.
[[nodiscard]] result<void> read_keys(client& server, server_settings& out);

/// Adds the steps for what the file declares of pools and settings. With `prune`, those of pools
/// that it does not have, and of the settings if it has none, are removed, if it has any of the
/// two kinds.
void add_key_steps(const submit_file::declarations& wanted, const server_settings& there,
                   bool prune, std::vector<step>& out);

/// The change that carries out all steps about keys at once. It does nothing if somebody else has
/// changed settings meanwhile, or if a pool is not known, unless there may be `new_pools`. It has
/// no keys if there is nothing to do.
[[nodiscard]] argosy::v1::UpdateSettingsRequest request_of(const std::vector<step>& steps,
                                                           const server_settings& there,
                                                           bool new_pools);

}  // namespace argosy::ctl
