// SPDX-License-Identifier: Apache-2.0
// The live_settings are the settings that argosyd runs by, those that its configuration file has
// meanwhile, and those that ran before. SETTINGS owns them and uses them on its thread.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "messages/native/settings.hpp"
#include "runtime/base/result.hpp"
#include "runtime/settings/load.hpp"

namespace argosy::argosyd {

using loaded_settings = settings::loaded<settings::argosyd_settings>;

/// What rounds of every pool are decided by. ec::invalid_argument names a key that cannot be
/// carried out.
[[nodiscard]] result<native::round_settings> make_round_settings(
    const settings::scheduling_settings& from);

class live_settings final : public native::settings_source {
 public:
  /// `read` loads and checks the file, as at the start.
  live_settings(settings::argosyd_settings running, std::function<result<loaded_settings>()> read)
      : running_(std::move(running)), read_(std::move(read)) {}

  [[nodiscard]] result<native::new_settings> look(native::settings_wish wish) override;
  [[nodiscard]] native::first_settings first(const std::string& text_before) const override;
  void take() override;

 private:
  [[nodiscard]] result<settings::argosyd_settings> find(native::settings_wish wish) const;

  settings::argosyd_settings running_;
  std::function<result<loaded_settings>()> read_;
  /// The sections that ran before, the newest last; undo goes back along them.
  std::vector<settings::scheduling_settings> before_;
  /// What the last look() found, and how.
  std::optional<settings::argosyd_settings> found_;
  native::settings_wish wish_ = native::settings_wish::reload;
};

}  // namespace argosy::argosyd
