// SPDX-License-Identifier: Apache-2.0
// A control plane in virtual time whose settings are set through the API, over a file that says
// something of the pool gpu.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "messages/codec/log/log_codec.hpp"
#include "messages/proto/argosy/settings.pb.h"
#include "tests/actors/settings/live_settings_fixture.hpp"

namespace argosy::tests {

struct settings_update : live_settings_test {
  using keys = std::vector<std::pair<std::string, std::string>>;

  settings_update() {
    file = "scheduling: {pools: [{name: gpu, disableAway: true}]}\n";
    begin();
  }

  static v1::UpdateSettingsRequest request(const keys& set, const std::vector<std::string>& unset) {
    v1::UpdateSettingsRequest out;
    for (const auto& [name, value] : set) {
      auto& key = *out.add_set();
      key.set_name(name);
      key.set_value(value);
      key.set_where("here:" + std::to_string(out.set_size()));
    }
    for (const auto& name : unset) out.add_unset(name);
    return out;
  }
  v1::ChangeSettingsResponse update(const keys& set, const std::vector<std::string>& unset = {}) {
    return ask<v1::ChangeSettingsResponse>("Settings.Update", request(set, unset));
  }
  error refused(const v1::UpdateSettingsRequest& asked) {
    const auto done = call("Settings.Update", asked);
    EXPECT_FALSE(done) << "it was not refused";
    return done ? error{} : done.error();
  }
  v1::ChangeSettingsResponse reload() {
    return ask<v1::ChangeSettingsResponse>("Settings.Reload", v1::ReloadSettingsRequest{});
  }
  v1::ChangeSettingsResponse undo() {
    return ask<v1::ChangeSettingsResponse>("Settings.Undo", v1::UndoSettingsRequest{});
  }
  v1::GetSettingsResponse settings() {
    return ask<v1::GetSettingsResponse>("Settings.Get", v1::GetSettingsRequest{});
  }
  v1::ListSettingsChangesResponse changes() {
    return ask<v1::ListSettingsChangesResponse>("Settings.ListChanges",
                                                v1::ListSettingsChangesRequest{});
  }
  /// "NAME=VALUE" for each key that was set through the API.
  std::vector<std::string> overrides() {
    std::vector<std::string> out;
    const auto all = settings();
    for (const auto& setting : all.settings())
      if (setting.overridden()) out.push_back(setting.name() + "=" + setting.value());
    return out;
  }
  std::string value(const std::string& name) {
    const auto all = settings();
    for (const auto& setting : all.settings())
      if (setting.name() == name) return setting.value();
    return "there is none";
  }
  std::uint64_t version_of_last_round() {
    std::uint64_t out = 0;
    const auto end = log->info()->last_position;
    for (model::log_position at{1}; at <= end; ++at) {
      const auto batch = codec::decode_batch(log->get(at)->data);
      EXPECT_TRUE(batch);
      for (const auto& event : batch->events)
        if (const auto* round = std::get_if<model::round_decided>(&event.payload))
          out = round->config_version;
    }
    return out;
  }
  int running(const std::string& queue) {
    return count(queue, api::JobState::LEASED) + count(queue, api::JobState::PENDING) +
           count(queue, api::JobState::RUNNING);
  }
  void lose_the_store() {
    crash();
    database = std::make_shared<store::memory_database>();
    begin();
  }
};

}  // namespace argosy::tests
