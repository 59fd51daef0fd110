// SPDX-License-Identifier: Apache-2.0
// Settings may say what is allowed and probably not meant, or is dangerous where it is meant. Each
// warning is a sentence with its place and what to do. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/settings/load.hpp"

namespace argosy::settings {

[[nodiscard]] std::vector<std::string> warnings_of(const loaded<argosyd_settings>& all);
[[nodiscard]] std::vector<std::string> warnings_of(const loaded<agent_settings>& all);

/// Warns of levels for components that the log of the program does not have.
[[nodiscard]] std::vector<std::string> unknown_components(const logging_settings& logging,
                                                          const std::vector<std::string>& known);

/// Warns of pools that are named and that neither these settings nor clusters have.
[[nodiscard]] std::vector<std::string> unknown_pools(const scheduling_settings& all,
                                                     const std::vector<std::string>& of_clusters);

/// A setting that names something of the machine, as ("grpc.listen", "0.0.0.0:50051").
struct named_thing {
  std::string key;
  std::string value;
};
/// The addresses at which the program will listen.
[[nodiscard]] std::vector<named_thing> listen_addresses(const argosyd_settings& all);
[[nodiscard]] std::vector<named_thing> listen_addresses(const agent_settings& all);
/// The files that it will read.
[[nodiscard]] std::vector<named_thing> files_read(const argosyd_settings& all);
[[nodiscard]] std::vector<named_thing> files_read(const agent_settings& all);

}  // namespace argosy::settings
