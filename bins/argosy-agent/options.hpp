// SPDX-License-Identifier: Apache-2.0
// This file declares what the user asked argosy-agent for: flags, configuration file and
// environment.
#pragma once

#include <cstdint>
#include <filesystem>

#include "runtime/base/result.hpp"
#include "runtime/settings/load.hpp"

namespace argosy::agent {

enum class command : std::uint8_t { serve, config_print, config_check };

struct options {
  command what = command::serve;
  bool take_over = false;  ///< True: serve the cluster even if another agent of it is in contact.
  /// True: leave the control plane that the agent belongs to, for the one that answers.
  bool join_control_plane = false;
  std::filesystem::path ready_file;
  std::string config_file;  ///< Empty: there is none.
  settings::loaded<settings::agent_settings> settings;
};

/// The exit code with which the program ends at once: help or the version was printed, or the
/// arguments are wrong.
struct early_exit {
  int code = 0;
};

/// Reads the arguments and loads the settings. It prints help and mistakes itself.
[[nodiscard]] tl::expected<options, early_exit> read_options(int argc, char** argv);

}  // namespace argosy::agent
