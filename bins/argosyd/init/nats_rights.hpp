// SPDX-License-Identifier: Apache-2.0
// This file declares how argosyd finds out that its nats-server runs from a configuration that
// gives other rights than `argosyd init` would give today, and where that keeps the log.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/settings/shared_settings.hpp"

namespace argosy::argosyd {

/// The fault and what to do about it, as a sentence without its full stop. Nothing if there is
/// none, or if the folder of `argosyd init` is not on this machine; it is known by the path of the
/// credentials.
[[nodiscard]] std::optional<std::string> fault_of_rights(const settings::nats_settings& nats);

/// The same as a list.
[[nodiscard]] std::vector<std::string> warnings_of_rights(const settings::nats_settings& nats);

/// The same for whoever asks often: the files are read every few seconds at most. It may be called
/// on any thread.
[[nodiscard]] std::function<std::optional<std::string>()> watched_rights(
    const settings::nats_settings& nats);

/// Where the nats-server that `argosyd init` set up keeps the log; nothing if its folder is not on
/// this machine.
[[nodiscard]] std::optional<std::filesystem::path> store_of_server(
    const settings::nats_settings& nats);

}  // namespace argosy::argosyd
