// SPDX-License-Identifier: Apache-2.0
// Loads settings from a file, the environment and flags, and prints them as YAML for people. Later
// sources win, in the order: defaults (of the preset), the file, ARGOSY_* variables, flags.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/settings/agent_settings.hpp"
#include "runtime/settings/argosyd_settings.hpp"

namespace argosy::settings {

struct sources {
  /// Path and content of the file, if there is one.
  std::optional<std::pair<std::string, std::string>> file;
  /// Looks a variable up; usually system_environment().
  std::function<std::optional<std::string>(const std::string& name)> environment;
  /// The paths and values of flags, for example {"cycle.period", "2s"}.
  std::vector<std::pair<std::string, std::string>> flags;
};

template <class T>
struct loaded {
  T value;
  /// For each path that is not at its default: "argosyd.yaml:3:11", "ARGOSY_CYCLE_PERIOD", "flag".
  std::map<std::string, std::string> origins;
};

/// Loads the settings of argosyd. The message of ec::invalid_argument lists all mistakes, one in
/// each line, with their places.
[[nodiscard]] result<loaded<argosyd_settings>> load_argosyd(const sources& from);
[[nodiscard]] result<loaded<agent_settings>> load_agent(const sources& from);

/// The `scheduling:` section alone: a file whose root is either that section's content or a whole
/// argosyd configuration, of which the rest is checked and left aside.
[[nodiscard]] result<scheduling_settings> load_scheduling(std::string_view text, std::string file);

/// The problem behind the place of the first key in it that has one: "f.yaml:3:11: cycle.minGap
/// must…". As it is when all keys that it names have their defaults.
[[nodiscard]] std::string placed(const std::string& problem,
                                 const std::map<std::string, std::string>& origins);

/// Reads a file. Fails with ec::not_found, ec::denied, or ec::too_large above `bytes_max`; the
/// messages name the path.
[[nodiscard]] result<std::string> read_file(const std::string& path,
                                            std::uint64_t bytes_max = std::uint64_t{256} << 20);

[[nodiscard]] std::function<std::optional<std::string>(const std::string&)> system_environment();

/// "cycle.minGap" <-> "ARGOSY_CYCLE_MIN_GAP".
[[nodiscard]] std::string environment_name(std::string_view path);

/// The names of all variables of this process.
[[nodiscard]] std::vector<std::string> system_variables();

/// What is in effect, as YAML; each line says where its value comes from. It loads again, unless
/// it has users: "***" stands for the hashes of their passwords.
[[nodiscard]] std::string print_effective(const loaded<argosyd_settings>& settings);
[[nodiscard]] std::string print_effective(const loaded<agent_settings>& settings);

/// Every key with its documentation and default, as in the files in config/.
[[nodiscard]] std::string documented_argosyd();
[[nodiscard]] std::string documented_agent();

}  // namespace argosy::settings
