// SPDX-License-Identifier: Apache-2.0
// A change of the scheduling settings, while argosyd ran or from one start to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace argosy::model {

/// A key that has another value than before, with its values as files would say them.
struct changed_setting {
  std::string name{};    ///< "scheduling.maximumSchedulingRate".
  std::string before{};  ///< Empty: it was not set, as a key of a pool may not be.
  std::string after{};   ///< Empty: it is not set any more.

  friend bool operator==(const changed_setting&, const changed_setting&) = default;
};

/// A key that was set through the API, with its value as YAML. The pool's key disableAway has the
/// name "scheduling.pools.gpu.disableAway"; the value "null" says there that the pool says nothing.
struct setting_override {
  std::string name{};
  std::string value{};

  friend bool operator==(const setting_override&, const setting_override&) = default;
};

/// The settings that lie over those of the configuration file, by name.
using settings_overrides = std::vector<setting_override>;

/// The event and the record of the view. Versions are as round_decided::config_version.
struct settings_changed {
  std::uint64_t number = 0;  ///< One higher than that of the change before.
  std::uint64_t version = 0;
  std::uint64_t version_before = 0;
  std::string by{};     ///< The user, "SIGHUP", or "argosyd".
  std::string cause{};  ///< "reload", "update", "undo" or "start".
  std::vector<changed_setting> changed{};
  std::string text{};              ///< The section `scheduling` as YAML.
  settings_overrides overrides{};  ///< What lies over the file from this change on, all of it.

  friend bool operator==(const settings_changed&, const settings_changed&) = default;
};

/// So many changes are kept in the view.
inline constexpr std::size_t settings_changes_kept = 100;

}  // namespace argosy::model
