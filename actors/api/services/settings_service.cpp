// SPDX-License-Identifier: Apache-2.0
// The service Settings: settings that change while argosyd runs.
#include "actors/api/gateway_services.hpp"
#include "messages/proto/argosy/settings.pb.h"

namespace argosy::actors {

namespace {

using changed_keys = google::protobuf::RepeatedPtrField<v1::ChangedSetting>;

void put_changed(const std::vector<model::changed_setting>& changed, changed_keys& out) {
  for (const auto& key : changed) {
    auto& to = *out.Add();
    to.set_name(key.name);
    to.set_before(key.before);
    to.set_after(key.after);
  }
}

void change_settings(gateway_services& gateway, const call& caller,
                     native::settings_change_request asked) {
  asked.by = caller.principal();
  const bool dry_run = asked.dry_run;
  gateway.ask(
      caller, gateway.config.settings,
      [caller, dry_run](const native::settings_outcome_ptr& outcome) {
        v1::ChangeSettingsResponse response;
        response.set_version_before(outcome->version_before);
        response.set_version(outcome->version);
        response.set_dry_run(dry_run);
        put_changed(outcome->changed, *response.mutable_changed());
        put_changed(outcome->overridden, *response.mutable_overridden());
        response.set_overrides_changed(outcome->overrides_changed);
        for (const auto& text : outcome->warnings) response.add_warnings(text);
        caller.reply(response);
      },
      atom::settings_v, std::move(asked));
}

void reload(gateway_services& gateway, const call& caller,
            const v1::ReloadSettingsRequest& request) {
  change_settings(gateway, caller, {native::settings_wish::reload, request.dry_run()});
}

void undo(gateway_services& gateway, const call& caller, const v1::UndoSettingsRequest& request) {
  change_settings(gateway, caller, {native::settings_wish::undo, request.dry_run()});
}

void update(gateway_services& gateway, const call& caller,
            const v1::UpdateSettingsRequest& request) {
  if (request.set().empty() && request.unset().empty()) {
    caller.fail(ec::invalid_argument, "the request names no setting");
    return;
  }
  native::settings_change_request asked{native::settings_wish::update, request.dry_run()};
  auto& edit = asked.edit;
  for (const auto& key : request.set())
    edit.set.push_back({{key.name(), key.value()}, key.where()});
  edit.unset.assign(request.unset().begin(), request.unset().end());
  edit.expected_change = request.expected_change();
  edit.new_pools = request.new_pools();
  change_settings(gateway, caller, std::move(asked));
}

void get_settings(gateway_services& gateway, const call& caller, const v1::GetSettingsRequest&) {
  gateway.ask(
      caller, gateway.config.settings,
      [caller](const native::settings_listing_ptr& all) {
        v1::GetSettingsResponse response;
        response.set_change(all->change);
        response.set_version(all->version);
        for (const auto& setting : all->settings) {
          auto& to = *response.add_settings();
          to.set_name(setting.name);
          to.set_value(setting.value);
          to.set_file_value(setting.file_value);
          to.set_overridden(setting.overridden);
        }
        for (const auto& view : all->views) {
          auto& to = *response.add_views();
          to.set_name(view.name);
          to.set_address(view.address);
        }
        caller.reply(response);
      },
      atom::list_v, atom::settings_v);
}

void list_changes(gateway_services& gateway, const call& caller,
                  const v1::ListSettingsChangesRequest&) {
  gateway.ask(
      caller, gateway.config.settings,
      [caller](const native::settings_history_ptr& all) {
        v1::ListSettingsChangesResponse response;
        for (auto at = all->rbegin(); at != all->rend(); ++at) {
          auto& to = *response.add_changes();
          to.set_number(at->change.number);
          to.set_time_ns(at->time_ns);
          to.set_by(at->change.by);
          to.set_cause(at->change.cause);
          to.set_version_before(at->change.version_before);
          to.set_version(at->change.version);
          put_changed(at->change.changed, *to.mutable_changed());
        }
        caller.reply(response);
      },
      atom::list_v);
}

}  // namespace

void add_settings_service(method_table& table) {
  table["Settings.Reload"] = decoded<v1::ReloadSettingsRequest>(reload);
  table["Settings.Undo"] = decoded<v1::UndoSettingsRequest>(undo);
  table["Settings.Update"] = decoded<v1::UpdateSettingsRequest>(update);
  table["Settings.Get"] = decoded<v1::GetSettingsRequest>(get_settings);
  table["Settings.ListChanges"] = decoded<v1::ListSettingsChangesRequest>(list_changes);
}

}  // namespace argosy::actors
