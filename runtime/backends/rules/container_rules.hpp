// SPDX-License-Identifier: Apache-2.0
// What an operator sets of containers on plain machines.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "runtime/model/byte_size.hpp"

namespace argosy::backends {

struct container_rules {
  std::vector<std::string> registries;  ///< Prefixes of what may be pulled; empty: anything.
  std::string auth_file;                ///< The rights of all jobs at registries; empty: none.
  /// The folder with NAMESPACE/NAME.json for each name in podSpec.imagePullSecrets; empty: none.
  std::string secrets_dir;
  /// A registries.conf, which names mirrors; empty: that of the distribution.
  std::string registries_conf;
  model::byte_size images_max{std::uint64_t{20} << 30};
  std::chrono::milliseconds pull_timeout{600'000};
  std::vector<std::string> host_paths;  ///< What volumes of pods may show of this machine.
  bool own_network = false;             ///< A pod has a loopback interface and nothing else.
};

}  // namespace argosy::backends
