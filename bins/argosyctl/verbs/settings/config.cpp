// SPDX-License-Identifier: Apache-2.0
// The verb config: deals with the user's contexts, changes the settings of a running server, and
// shows what changed.
#include <string>

#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/verbs/contexts/context_flags.hpp"
#include "bins/argosyctl/verbs/list_command.hpp"
#include "bins/argosyctl/verbs/settings/settings_change.hpp"
#include "bins/argosyctl/verbs/settings/settings_verbs.hpp"

namespace argosy::ctl {

namespace {

using argosy::v1::ChangeSettingsResponse;

/// What reload and undo share: they say what changes, or would change.
template <class Request>
class change_command : public command {
 public:
  change_command(CLI::App& app, const char* method) : method_(method) {
    app.add_flag("--dry-run", dry_run_, "Only say what would change");
  }
  std::vector<std::string> formats() const override { return {"table", "json"}; }

  result<exit_code> run(session& s) override {
    auto server = s.server();
    if (!server) return fail(std::move(server.error()));
    Request request;
    request.set_dry_run(dry_run_);
    const auto done = call<ChangeSettingsResponse>(**server, method_, request, repeatable::no);
    return report_change(s, done);
  }

 private:
  const char* method_;
  bool dry_run_ = false;
};

class reload_command final : public change_command<argosy::v1::ReloadSettingsRequest> {
 public:
  explicit reload_command(CLI::App& app) : change_command(app, "Settings.Reload") {
    app.footer(
        "argosyctl config reload --dry-run\n"
        "argosyctl config reload\n"
        "argosyctl config reload -o json");
  }
};

class undo_command final : public change_command<argosy::v1::UndoSettingsRequest> {
 public:
  explicit undo_command(CLI::App& app) : change_command(app, "Settings.Undo") {
    app.description(
        "Take back the last change. If it was a reload, the configuration file still has the newer "
        "settings, which the next reload or start takes: change it as well. Reloads can be taken "
        "back until argosyd is started again, what was set through the API also after that.");
    app.footer(
        "argosyctl config undo --dry-run\n"
        "argosyctl config undo");
  }
};

class history_command final : public list_command {
 public:
  explicit history_command(CLI::App& app) : list_command(app) {
    app.footer(
        "argosyctl config history\n"
        "argosyctl config history -o wide\n"
        "argosyctl config history -o jsonl");
  }

 protected:
  result<listing> fetch(session&, client& server) override {
    const auto all = call<argosy::v1::ListSettingsChangesResponse>(
        server, "Settings.ListChanges", argosy::v1::ListSettingsChangesRequest{});
    if (!all) return fail(all.error());
    listing items{{{"TIME"},
                   {.title = "USER", .yields_to = 8},
                   {"CAUSE"},
                   {"VERSION"},
                   {.title = "BEFORE", .wide = true},
                   {.title = "CHANGED", .yields_to = 20}}};
    for (const auto& change : all->changes()) {
      std::string changed =
          change.changed().empty() && change.cause() != "start" ? "(each value is as before)" : "";
      for (const auto& key : change.changed())
        changed += (changed.empty() ? "" : "; ") + text_of(key);
      items.rows.add({{utc_time(change.time_ns()), static_cast<double>(change.time_ns())},
                      change.by(),
                      change.cause(),
                      version_text_of(change.version()),
                      version_text_of(change.version_before()),
                      changed});
      items.names.push_back("settings-change/" + std::to_string(change.number()));
      items.json.push_back(json_of(change));
    }
    if (all->changes().empty()) items.hint = "no settings were changed while running";
    return items;
  }
};

}  // namespace

void define_config(CLI::App& app, command_set& commands) {
  define_contexts(app, commands);
  define_part<reload_command>(
      app, commands, "reload",
      "Have argosyd read its configuration file again and take the settings that may change.");
  define_settings(app, commands);
  define_part<history_command>(app, commands, "history",
                               "List the changes of settings, the newest first.");
  define_part<undo_command>(app, commands, "undo", "Take back the last change.");
  app.footer(
      "argosyctl config get-contexts\n"
      "argosyctl config use-context work\n"
      "argosyctl config reload --dry-run\n"
      "argosyctl config set scheduling.maxNewDecisions=500\n"
      "argosyctl config history\n"
      "argosyctl config undo");
}

}  // namespace argosy::ctl
