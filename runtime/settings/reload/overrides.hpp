// SPDX-License-Identifier: Apache-2.0
// This file declares how settings that were set through the API lie over those of the file. Both
// are checked together, by the rules by which a file is checked.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/model/settings_changed.hpp"
#include "runtime/settings/argosyd_settings.hpp"

namespace argosy::settings {

/// So many bytes the names and values of overrides may have together, since each change of
/// settings in the log holds all of it.
inline constexpr std::size_t overrides_bytes_max = std::size_t{64} << 10;

/// A setting, and the place that stands before what is wrong with it.
struct placed_setting {
  model::setting_override what;
  std::string where;
};

/// The settings of the file with the others over them, of which the last one wins. The message of
/// ec::invalid_argument lists all mistakes, one in each line, behind their places.
[[nodiscard]] result<argosyd_settings> lay_over(const argosyd_settings& file,
                                                const std::vector<placed_setting>& over);

/// What is wrong with the name of a setting that is to be set through the API; nothing if it is the
/// name of a live key or of a key of a pool.
[[nodiscard]] complaint wrong_name(const std::string& name);

/// The value of a live key or of a key of a pool as files would say it; "null": the pool says
/// nothing of it. Empty if there is no such key.
[[nodiscard]] std::string value_of(const argosyd_settings& from, const std::string& name);

/// A setting of argosyd, as those are told who want to know what counts.
struct told_setting {
  std::string name;
  std::string value;
};

/// All live keys, and the keys that each pool has, with their values.
[[nodiscard]] std::vector<told_setting> tell_live(const argosyd_settings& from);

}  // namespace argosy::settings
