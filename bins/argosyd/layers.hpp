// SPDX-License-Identifier: Apache-2.0
// This file declares what runs as two layers: the configuration file, and over it the overrides,
// which were set through the API. It is pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "messages/native/settings.hpp"
#include "runtime/base/result.hpp"
#include "runtime/settings/argosyd_settings.hpp"
#include "runtime/settings/reload/overrides.hpp"

namespace argosy::argosyd {

struct layers {
  settings::argosyd_settings file;
  model::settings_overrides over;
};

/// What rounds of every pool are decided by. ec::invalid_argument names a key that cannot be
/// carried out.
[[nodiscard]] result<native::round_settings> make_round_settings(
    const settings::scheduling_settings& from);

/// The pools that have settings, and the pools whose nodes they use.
[[nodiscard]] std::set<std::string> named_pools(const settings::scheduling_settings& settings);

/// The overrides, whose mistakes are told to be of what was set through the API.
[[nodiscard]] std::vector<settings::placed_setting> placed(const model::settings_overrides& over);

/// The file with the overrides, if rounds can go by them. Fails as settings::lay_over() does.
[[nodiscard]] result<settings::argosyd_settings> combine(
    const settings::argosyd_settings& file, const std::vector<settings::placed_setting>& over);

/// The keys of which the file says something else (`before`) than the overrides (`after`).
/// `origins` has the keys that the file sets.
[[nodiscard]] std::vector<model::changed_setting> overridden_keys(
    const settings::argosyd_settings& file, const std::map<std::string, std::string>& origins,
    const model::settings_overrides& over);

/// The overrides to which undo may go back, the newest last, as the changes tell that are kept.
[[nodiscard]] std::vector<model::settings_overrides> overrides_before(
    const std::vector<ledger::put_settings_change>& changes);

}  // namespace argosy::argosyd
