// SPDX-License-Identifier: Apache-2.0
// What SETTINGS is asked for, what it tells the COORDINATOR, and where it finds new settings.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/ledger/change.hpp"
#include "runtime/scheduling/config.hpp"

namespace argosy::native {

/// What rounds are decided by.
struct round_settings {
  using config_ptr = std::shared_ptr<const scheduling::config>;
  config_ptr common;
  std::map<std::string, config_ptr> pools;  ///< The pools that have settings of their own.
  std::uint64_t version = 0;                ///< model::round_decided::config_version
};
using round_settings_ptr = std::shared_ptr<const round_settings>;

/// Where other settings than those that run come from.
enum class settings_wish : std::uint8_t {
  reload,  ///< The configuration file, as it is now.
  undo,    ///< The settings before the last change since the start.
};

/// The settings that were wished for, compared with those that run.
struct new_settings {
  round_settings_ptr rounds;
  std::uint64_t version_before = 0;
  /// The keys that have another value; empty: all is as it was.
  std::vector<model::changed_setting> changed;
  std::string text;  ///< model::settings_changed::text
};

/// The settings with which the process began.
struct first_settings {
  std::uint64_t version = 0;
  std::string text;  ///< model::settings_changed::text
  /// The keys that have another value than in the text that they were compared with.
  std::vector<model::changed_setting> changed;
};

/// Finds settings, and knows those that run. SETTINGS alone uses it, on its thread.
class settings_source {
 public:
  virtual ~settings_source() = default;
  /// May read files. Fails with ec::invalid_argument if what it finds is wrong, ec::conflict if it
  /// cannot be taken while the process runs, ec::not_found if there is nothing to find; the message
  /// names the place.
  [[nodiscard]] virtual result<new_settings> look(settings_wish wish) = 0;
  /// The settings that run, compared with an earlier text of settings. If that is empty, or cannot
  /// be read any more, no key counts as changed.
  [[nodiscard]] virtual first_settings first(const std::string& text_before) const = 0;
  /// What the last look() found runs from now on.
  virtual void take() = 0;
};

struct settings_change_request {
  settings_wish wish = settings_wish::reload;
  bool dry_run = false;  ///< Only says what would change.
  std::string by{};
};
struct settings_outcome {
  std::uint64_t version_before = 0;
  std::uint64_t version = 0;
  std::vector<model::changed_setting> changed;
};
using settings_outcome_ptr = std::shared_ptr<const settings_outcome>;
/// The changes that are kept, the oldest first.
using settings_history_ptr = std::shared_ptr<const std::vector<ledger::put_settings_change>>;

}  // namespace argosy::native
