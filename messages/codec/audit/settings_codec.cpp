// SPDX-License-Identifier: Apache-2.0
// This file converts changes of the scheduling settings between the model and argosy.log.v1.
#include "messages/codec/log/log_values.hpp"

namespace argosy::codec {

void to_wire(const model::settings_changed& change, log::v1::SettingsChanged& out) {
  out.set_number(change.number);
  out.set_version(change.version);
  out.set_version_before(change.version_before);
  out.set_by(change.by);
  out.set_cause(change.cause);
  for (const auto& key : change.changed) {
    auto& to = *out.add_changed();
    to.set_name(key.name);
    to.set_before(key.before);
    to.set_after(key.after);
  }
  out.set_text(change.text);
  for (const auto& setting : change.overrides) {
    auto& to = *out.add_overrides();
    to.set_name(setting.name);
    to.set_value(setting.value);
  }
}

model::settings_changed from_wire(const log::v1::SettingsChanged& in) {
  model::settings_changed out;
  out.number = in.number();
  out.version = in.version();
  out.version_before = in.version_before();
  out.by = in.by();
  out.cause = in.cause();
  for (const auto& key : in.changed())
    out.changed.push_back({key.name(), key.before(), key.after()});
  out.text = in.text();
  for (const auto& setting : in.overrides())
    out.overrides.push_back({setting.name(), setting.value()});
  return out;
}

}  // namespace argosy::codec
