// SPDX-License-Identifier: Apache-2.0
// The service Settings: scheduling settings that change while argosyd runs.
#include "actors/api/gateway_services.hpp"
#include "messages/proto/argosy/settings.pb.h"

namespace argosy::actors {

namespace {

template <class Response>
void put_changed(const std::vector<model::changed_setting>& changed, Response& out) {
  for (const auto& key : changed) {
    auto& to = *out.add_changed();
    to.set_name(key.name);
    to.set_before(key.before);
    to.set_after(key.after);
  }
}

template <native::settings_wish Wish, class Request>
void change_settings(gateway_services& gateway, const call& caller, const Request& request) {
  native::settings_change_request asked{Wish, request.dry_run(), caller.principal()};
  gateway.ask(
      caller, gateway.config.settings,
      [caller, dry_run = request.dry_run()](const native::settings_outcome_ptr& outcome) {
        v1::ChangeSettingsResponse response;
        response.set_version_before(outcome->version_before);
        response.set_version(outcome->version);
        response.set_dry_run(dry_run);
        put_changed(outcome->changed, response);
        caller.reply(response);
      },
      atom::settings_v, std::move(asked));
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
          put_changed(at->change.changed, to);
        }
        caller.reply(response);
      },
      atom::list_v);
}

}  // namespace

void add_settings_service(method_table& table) {
  using native::settings_wish;
  table["Settings.Reload"] = decoded<v1::ReloadSettingsRequest>(
      change_settings<settings_wish::reload, v1::ReloadSettingsRequest>);
  table["Settings.Undo"] = decoded<v1::UndoSettingsRequest>(
      change_settings<settings_wish::undo, v1::UndoSettingsRequest>);
  table["Settings.ListChanges"] = decoded<v1::ListSettingsChangesRequest>(list_changes);
}

}  // namespace argosy::actors
