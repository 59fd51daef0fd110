// SPDX-License-Identifier: Apache-2.0
// What SETTINGS is asked for, what it tells the COORDINATOR and the ROOT, and where it finds new
// settings.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/ledger/change.hpp"
#include "runtime/ledger/retention.hpp"
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
  undo,    ///< The settings before the last change.
  update,  ///< A caller, who sets keys over the file or gives them back to it.
};

/// What a caller sets over the file.
struct settings_edit {
  struct key {
    model::setting_override what;
    std::string where{};  ///< Stands before what is wrong with it; empty: the name does.
  };
  std::vector<key> set{};
  /// Keys that the file says again, or beginnings of keys up to a dot. They go before `set`.
  std::vector<std::string> unset{};
  std::uint64_t expected_change = 0;  ///< The number that the last change must have; 0: any.
  bool new_pools = false;             ///< Pools may be set up that are not known yet.
};

struct settings_change_request {
  settings_wish wish = settings_wish::reload;
  bool dry_run = false;  ///< Only says what would change.
  std::string by{};
  settings_edit edit{};              ///< For `update` only.
  std::vector<std::string> pools{};  ///< SETTINGS fills in which pools clusters have.
};

/// What a change would do, or has done.
struct settings_outcome {
  std::uint64_t version_before = 0;
  std::uint64_t version = 0;
  /// The keys that have another value.
  std::vector<model::changed_setting> changed;
  /// The keys of which the file says something else (`before`) than the API (`after`).
  std::vector<model::changed_setting> overridden;
  bool overrides_changed = false;
  std::vector<std::string> warnings{};  ///< Each says what is allowed and probably not meant.

  [[nodiscard]] bool is_nothing() const { return changed.empty() && !overrides_changed; }
};
using settings_outcome_ptr = std::shared_ptr<const settings_outcome>;

/// The settings that were wished for, compared with those that run.
struct new_settings {
  round_settings_ptr rounds;
  ledger::retention_config retention;
  settings_outcome outcome;
  std::string text;                     ///< model::settings_changed::text
  model::settings_overrides overrides;  ///< model::settings_changed::overrides
};

/// The settings with which the process began.
struct first_settings {
  std::uint64_t version = 0;
  std::string text;                     ///< model::settings_changed::text
  model::settings_overrides overrides;  ///< model::settings_changed::overrides
  /// The keys that have another value than in the text that they were compared with.
  std::vector<model::changed_setting> changed;
};

/// A key that may change while the process runs.
struct live_setting {
  std::string name;
  std::string value;        ///< Empty: a pool says nothing of it.
  std::string file_value;   ///< The value without the API.
  bool overridden = false;  ///< It was set through the API.
};
/// A view of the web page under a name by which everybody finds it.
struct saved_view {
  std::string name;
  std::string address;  ///< The fragment of the page's address: "#/jobs?where=state:failed".
};
struct settings_listing {
  std::uint64_t change = 0;  ///< The number of the last change.
  std::uint64_t version = 0;
  std::vector<live_setting> settings;
  std::vector<saved_view> views{};
};
using settings_listing_ptr = std::shared_ptr<const settings_listing>;

/// Finds settings, and knows those that run. SETTINGS alone uses it, on its thread.
class settings_source {
 public:
  virtual ~settings_source() = default;
  /// May read files. Fails with ec::invalid_argument if what it finds is wrong, ec::conflict if it
  /// cannot be taken while the process runs, ec::not_found if there is nothing to find; the message
  /// names the place.
  [[nodiscard]] virtual result<new_settings> look(const settings_change_request& request) = 0;
  /// The settings that run, compared with an earlier text of settings. If that is empty, or cannot
  /// be read any more, no key counts as changed.
  [[nodiscard]] virtual first_settings first(const std::string& text_before) const = 0;
  /// What the last look() found runs from now on.
  virtual void take() = 0;
  /// The settings that run; the number of the change is not filled in.
  [[nodiscard]] virtual settings_listing list() const = 0;
};

/// The changes that are kept, the oldest first.
using settings_history_ptr = std::shared_ptr<const std::vector<ledger::put_settings_change>>;

}  // namespace argosy::native
