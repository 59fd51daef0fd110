// SPDX-License-Identifier: Apache-2.0
// This file declares what the user asked argosyd for: flags, configuration file and environment.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bins/argosyd/init/init_plan.hpp"
#include "runtime/base/result.hpp"
#include "runtime/settings/load.hpp"

namespace argosy::argosyd {

enum class command : std::uint8_t {
  serve,
  recover,
  check,
  backup,
  config_print,
  config_check,
  init,
  hash_password,
  version
};

struct options {
  command what = command::serve;
  bool dev = false;
  bool local = false;             ///< True: the local cluster is started beside the simulated ones.
  bool plain_processes = false;   ///< True: the local cluster looks at no images.
  bool end_jobs_on_stop = false;  ///< False: this machine's jobs outlive the server.
  bool trust_clock = false;       ///< True: the wall clock holds against the time of the log.
  bool leave_safe_mode = false;   ///< True: crashes of earlier starts count for nothing.
  bool accept_loss = false;       ///< With recover: begins anew from the store, whatever is lost.
  bool verify = false;            ///< With backup: the copy is read and checked.
  bool no_log = false;            ///< With check: the store alone is checked.
  std::string backup_folder;      ///< With backup: where to; with recover: where from, if anywhere.
  std::uint32_t sim_clusters = 0;
  std::uint32_t sim_nodes = 100;  ///< The number of nodes in each simulated cluster.
  std::filesystem::path ready_file;
  std::string config_file;
  /// The flags that set settings, as paths and values.
  std::vector<std::pair<std::string, std::string>> setting_flags;
  init_request init;
  settings::loaded<settings::argosyd_settings> settings;
};

/// The exit code with which the program ends at once: help was printed, or the arguments are wrong.
struct early_exit {
  int code = 0;
};

/// Reads the arguments and loads the settings. It prints help and mistakes itself.
[[nodiscard]] tl::expected<options, early_exit> read_options(int argc, char** argv);

/// Loads the settings again from where they came from at the start, and checks them as then.
/// ec::not_found if they came from no file.
[[nodiscard]] result<settings::loaded<settings::argosyd_settings>> reread_settings(
    const options& chosen);

/// The folder where this user's --dev servers keep their state: $XDG_STATE_HOME/argosy/dev.
[[nodiscard]] std::filesystem::path dev_state_dir();

}  // namespace argosy::argosyd
