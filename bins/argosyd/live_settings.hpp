// SPDX-License-Identifier: Apache-2.0
// The live_settings are the settings that argosyd runs by: those of its configuration file, and
// over them the overrides that were set through the API. SETTINGS owns them and uses them on its
// thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bins/argosyd/layers.hpp"
#include "messages/native/settings.hpp"
#include "runtime/base/result.hpp"
#include "runtime/settings/load.hpp"

namespace argosy::argosyd {

using loaded_settings = settings::loaded<settings::argosyd_settings>;

class live_settings final : public native::settings_source {
 public:
  using history = std::vector<ledger::put_settings_change>;

  /// `read` loads and checks the file, as at the start. The overrides are those of the newest
  /// change in `before`; those that do not go with the file any more are dropped. `use` is called
  /// with the settings that run from now on, at once and after each change.
  live_settings(
      settings::argosyd_settings file, std::function<result<loaded_settings>()> read,
      const history& before,
      std::function<void(const settings::argosyd_settings&)> use =
          [](const settings::argosyd_settings&) {});

  [[nodiscard]] result<native::new_settings> look(
      const native::settings_change_request& request) override;
  [[nodiscard]] native::first_settings first(const std::string& text_before) const override;
  void take() override;
  [[nodiscard]] native::settings_listing list() const override;

  /// The settings with the overrides.
  [[nodiscard]] const settings::argosyd_settings& running() const { return running_; }
  /// Why some of the overrides were dropped at the start.
  [[nodiscard]] const std::vector<std::string>& dropped() const { return dropped_; }

 private:
  struct found_layers {
    layers now;
    settings::argosyd_settings result;
    native::settings_wish wish = native::settings_wish::reload;
    std::vector<model::changed_setting> overridden{};
  };

  [[nodiscard]] result<found_layers> find(const native::settings_change_request& request) const;
  [[nodiscard]] result<found_layers> reread() const;
  [[nodiscard]] result<found_layers> edited(const native::settings_change_request& request) const;
  [[nodiscard]] result<void> check_pools(const native::settings_change_request& request) const;
  [[nodiscard]] result<void> check_unset(const std::string& name) const;
  void lay_over_at_start(const model::settings_overrides& over);

  layers now_;
  settings::argosyd_settings running_;
  std::function<result<loaded_settings>()> read_;
  std::function<void(const settings::argosyd_settings&)> use_;
  std::vector<std::string> dropped_;
  /// What ran before, the newest last; undo goes back along them.
  std::vector<layers> before_;
  std::optional<found_layers> found_;  ///< What the last look() found.
};

}  // namespace argosy::argosyd
