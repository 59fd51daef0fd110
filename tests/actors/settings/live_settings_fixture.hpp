// SPDX-License-Identifier: Apache-2.0
// A control plane in virtual time with the scheduling settings of argosyd, whose file is a text of
// the test.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "bins/argosyd/live_settings.hpp"
#include "messages/proto/argosy/settings.pb.h"
#include "runtime/settings/config_version.hpp"
#include "runtime/settings/load.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

/// What is listed, without the mark, which names the leader.
inline std::string listed(v1::ListSettingsChangesResponse answer) {
  answer.clear_mark();
  return answer.SerializeAsString();
}

struct live_settings_test : control_plane_test {
  /// Starts with the file as it is. `change` sets what else the ROOT gets.
  void begin(const std::function<void(actors::root_config&)>& change = [](auto&) {}) {
    const auto loaded = load();
    ASSERT_TRUE(loaded) << loaded.error().detail;
    start([&](actors::root_config& with) {
      const auto live = std::make_shared<argosyd::live_settings>(
          loaded->value, [this] { return load(); }, with.recovered.settings_changes);
      dropped = live->dropped();
      const auto rounds = argosyd::make_round_settings(live->running().scheduling);
      ASSERT_TRUE(rounds) << rounds.error().detail;
      with.scheduling = rounds->common;
      with.rounds.pools = rounds->pools;
      with.config_version = rounds->version;
      with.settings = live;
      with.retention = live->running().retention;
      change(with);
    });
  }
  [[nodiscard]] result<argosyd::loaded_settings> load() const {
    settings::sources from;
    from.file = {"argosyd.yaml", file};
    return settings::load_argosyd(from);
  }
  [[nodiscard]] std::uint64_t version_of_file() const {
    const auto loaded = load();
    return loaded ? settings::config_version(loaded->value.scheduling) : 0;
  }

  std::string file = "{}\n";
  std::vector<std::string> dropped;  ///< What the last start dropped of the overrides.
};

}  // namespace argosy::tests
