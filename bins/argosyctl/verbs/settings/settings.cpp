// SPDX-License-Identifier: Apache-2.0
// The verbs config set, unset and settings: single keys of a running server, which lie over its
// configuration file.
#include <algorithm>
#include <string>
#include <vector>

#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/verbs/list_command.hpp"
#include "bins/argosyctl/verbs/settings/settings_change.hpp"
#include "bins/argosyctl/verbs/settings/settings_verbs.hpp"

namespace argosy::ctl {

namespace {

using argosy::v1::UpdateSettingsRequest;

/// What set and unset share.
class setting_command : public command {
 public:
  std::vector<std::string> formats() const override { return {"table", "json"}; }

 protected:
  void add_options(CLI::App& app) {
    app.add_flag("--dry-run", dry_run_, "Only say what would change");
  }
  result<exit_code> send(session& s, UpdateSettingsRequest& request) const {
    auto server = s.server();
    if (!server) return fail(std::move(server.error()));
    request.set_dry_run(dry_run_);
    const auto done = update_settings(**server, request);
    return report_change(s, done);
  }

 private:
  bool dry_run_ = false;
};

class set_setting_command final : public setting_command {
 public:
  explicit set_setting_command(CLI::App& app) {
    app.description(
        "Set keys over the configuration file of argosyd, which may change while it runs; config "
        "settings lists them. They count until config unset or undo takes them away, also after a "
        "restart and when the file says something else. All is done, or nothing.");
    app.footer(
        "argosyctl config set scheduling.maxNewDecisions=500\n"
        "argosyctl config set 'scheduling.nodeOrder=[noPreemption, bestFit]' --dry-run\n"
        "argosyctl config set store.jobRetention=14d store.jobRetentionByState.failed=30d");
    app.add_option("settings", words_, "Keys with their values, as a file would say them")
        ->required()
        ->type_name("KEY=VALUE");
    add_options(app);
  }
  result<exit_code> run(session& s) override {
    UpdateSettingsRequest request;
    for (const auto& word : words_) {
      const auto equals = word.find('=');
      if (equals == std::string::npos || equals == 0)
        return fail(ec::invalid_argument, "'" + word + "' is not of the form KEY=VALUE");
      auto& key = *request.add_set();
      key.set_name(word.substr(0, equals));
      key.set_value(word.substr(equals + 1));
      key.set_where("config set");
    }
    return send(s, request);
  }

 private:
  std::vector<std::string> words_;
};

class unset_setting_command final : public setting_command {
 public:
  explicit unset_setting_command(CLI::App& app) {
    app.description(
        "Take keys away that were set through the API, so that the configuration file says them "
        "again. A name may also be what stands before the dots of several keys.");
    app.footer(
        "argosyctl config unset scheduling.maxNewDecisions\n"
        "argosyctl config unset scheduling.pools.gpu\n"
        "argosyctl config unset --all --dry-run");
    app.add_option("keys", keys_, "Names of keys, such as scheduling.maxNewDecisions")
        ->type_name("KEY");
    app.add_flag("--all", all_, "Take away all that was set through the API");
    add_options(app);
  }
  result<exit_code> run(session& s) override {
    if (all_ == !keys_.empty())
      return fail(ec::invalid_argument, "name the keys to take away, or say --all");
    UpdateSettingsRequest request;
    for (const auto& key : keys_) request.add_unset(key);
    if (all_) {
      request.add_unset("scheduling");
      request.add_unset("store");
    }
    return send(s, request);
  }

 private:
  std::vector<std::string> keys_;
  bool all_ = false;
};

class list_settings_command final : public list_command {
 public:
  explicit list_settings_command(CLI::App& app) : list_command(app) {
    app.description(
        "List the settings that may change while argosyd runs, and those of pools. SET BY says "
        "whether the API or the configuration file and its defaults say the value.");
    app.footer(
        "argosyctl config settings\n"
        "argosyctl config settings --api -o wide\n"
        "argosyctl config settings -o csv=NAME,VALUE");
    app.add_flag("--api", api_, "Only those that were set through the API");
  }

 protected:
  result<listing> fetch(session&, client& server) override {
    const auto all = call<argosy::v1::GetSettingsResponse>(server, "Settings.Get",
                                                           argosy::v1::GetSettingsRequest{});
    if (!all) return fail(all.error());
    listing items{{{"NAME"},
                   {.title = "VALUE", .yields_to = 20},
                   {"SET BY"},
                   {.title = "FILE", .wide = true}}};
    for (const auto& setting : all->settings()) {
      if (api_ && !setting.overridden()) continue;
      items.rows.add({setting.name(), setting.value(),
                      std::string{setting.overridden() ? "API" : "file"}, setting.file_value()});
      items.names.push_back("setting/" + setting.name());
      items.json.push_back(json_of(setting));
    }
    if (api_ && items.names.empty()) items.hint = "nothing is set through the API";
    return items;
  }

 private:
  bool api_ = false;
};

}  // namespace

void define_settings(CLI::App& app, command_set& commands) {
  define_part<list_settings_command>(app, commands, "settings",
                                     "List the settings that may change while argosyd runs.");
  define_part<set_setting_command>(app, commands, "set", "Set keys over the configuration file.");
  define_part<unset_setting_command>(app, commands, "unset",
                                     "Let the configuration file say keys again.");
}

}  // namespace argosy::ctl
