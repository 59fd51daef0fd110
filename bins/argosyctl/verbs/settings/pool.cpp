// SPDX-License-Identifier: Apache-2.0
// The verb pool update. Its flags are the keys that a pool may have in the configuration file.
#include <fmt/format.h>

#include <cctype>
#include <deque>
#include <string>
#include <vector>

#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/output/text.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/settings/settings_change.hpp"
#include "bins/shared/empty_values.hpp"
#include "runtime/base/suggest.hpp"
#include "runtime/scheduling/keys.hpp"
#include "runtime/settings/reload/live_keys.hpp"
#include "runtime/settings/scheduling_settings.hpp"

namespace argosy::ctl {

namespace {

using scheduling::key_kind;

/// A key of pools as a flag: disableAway is --disable-away.
struct pool_flag {
  std::string key;
  key_kind kind = key_kind::structured;
  std::string text;
  CLI::Option* option = nullptr;

  [[nodiscard]] std::string name() const {
    std::string out = "--";
    for (const char c : key) {
      if (std::isupper(static_cast<unsigned char>(c)) != 0) out += '-';
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return out;
  }
  /// The value as a file has it: people write a,b for [a, b], and cpu=0.5 for {cpu: 0.5}.
  [[nodiscard]] std::string value() const {
    if (text == "null" || text.starts_with('[') || text.starts_with('{')) return text;
    if (kind == key_kind::texts || kind == key_kind::choices) return "[" + text + "]";
    if (kind != key_kind::fractions) return text;
    std::string out;
    for (const char c : text) out += c == '=' ? std::string{": "} : std::string{c};
    return "{" + out + "}";
  }
};

class pool_update_command final : public command {
 public:
  explicit pool_update_command(CLI::App& app);
  std::vector<std::string> formats() const override { return {"table", "name", "json"}; }
  std::string_view completes() const override { return "pools"; }
  result<exit_code> run(session& s) override;

 private:
  void add_flag(CLI::App& app, const std::string& key, const std::string& doc);
  [[nodiscard]] result<std::string> key_of(const std::string& word) const;
  [[nodiscard]] result<argosy::v1::UpdateSettingsRequest> request() const;

  std::string name_;
  std::deque<pool_flag> flags_;  ///< CLI11 keeps the addresses.
  std::vector<std::string> unset_;
  bool unset_all_ = false;
  bool new_ = false;
  bool dry_run_ = false;
};

pool_update_command::pool_update_command(CLI::App& app) {
  app.description(
      "Change settings of one pool while argosyd runs. They lie over its configuration file, also "
      "after a restart, until --unset gives them back to the file or config undo takes the change "
      "back. The value null says that the pool has no setting of its own, whatever the file says.");
  app.footer(
      "argosyctl pool update gpu --disable-fair-share-preemption\n"
      "argosyctl pool update gpu --away-pools cpu,spare --dry-run\n"
      "argosyctl pool update gpu --maximum-resource-fraction-to-schedule cpu=0.5,memory=0.5\n"
      "argosyctl pool update gpu --unset disableAway\n"
      "argosyctl pool update gpu --unset-all");
  takes_printed(app.add_option("name", name_, "Name of the pool"), "pool")
      ->required()
      ->type_name("POOL");
  settings::pool_settings pool;
  settings::field_table table;
  describe(table, pool);
  for (const auto& key : settings::pool_keys()) add_flag(app, key, table.find(key)->doc);
  app.add_option("--unset", unset_, "The keys that the file is to say again, such as disableAway")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("KEY");
  app.add_flag("--unset-all", unset_all_, "Let the file say all keys of the pool again");
  app.add_flag("--new", new_, "Set up a pool that no cluster has yet and no setting names");
  app.add_flag("--dry-run", dry_run_, "Only say what would change");
}

void pool_update_command::add_flag(CLI::App& app, const std::string& key, const std::string& doc) {
  auto& flag = flags_.emplace_back();
  flag.key = key;
  for (const auto& known : scheduling::all_keys())
    if (known.path == key || known.path.ends_with("." + key)) flag.kind = known.kind;
  if (flag.kind == key_kind::flag) {
    flag.option = app.add_flag(flag.name() + "{true}", flag.text, doc);
    return;
  }
  const char* type = flag.kind == key_kind::texts       ? "NAME"
                     : flag.kind == key_kind::fractions ? "RESOURCE=PART"
                     : flag.kind == key_kind::number    ? "F"
                                                        : "YAML";
  const std::string usual =
      "Tolerations that every job of the pool has, as [{key: gpu, operator: Exists}]";
  flag.option = takes_empty(
      app.add_option(flag.name(), flag.text, doc.empty() ? usual : doc)->type_name(type));
}

/// Takes disableAway and disable-away.
result<std::string> pool_update_command::key_of(const std::string& word) const {
  for (const auto& flag : flags_)
    if (word == flag.key || word == flag.name() || "--" + word == flag.name()) return flag.key;
  return fail(ec::invalid_argument, "--unset: pools have no key '" + word + "'" +
                                        did_you_mean(word, settings::pool_keys()));
}

result<argosy::v1::UpdateSettingsRequest> pool_update_command::request() const {
  argosy::v1::UpdateSettingsRequest out;
  settings::pool_settings checked;
  settings::field_table table;
  describe(table, checked);
  settings::problem_list problems;
  table.set("name", name_, "argument POOL", problems);
  for (const auto& flag : flags_) {
    if (flag.option->count() == 0) continue;
    table.set(flag.key, flag.value(), flag.name(), problems);
    auto& key = *out.add_set();
    key.set_name(settings::name_of_pool_key(name_, flag.key));
    key.set_value(flag.value());
    key.set_where(flag.name());
  }
  for (const auto& word : unset_) {
    const auto key = key_of(word);
    if (key)
      out.add_unset(settings::name_of_pool_key(name_, *key));
    else
      problems.push_back(key.error().detail);
  }
  if (unset_all_) out.add_unset(std::string{settings::pools_key} + "." + name_);
  std::string text;
  for (const auto& problem : problems) text.append(text.empty() ? "" : "\n").append(problem);
  if (!text.empty()) return fail(ec::invalid_argument, std::move(text));
  if (out.set().empty() && out.unset().empty())
    return fail(
        ec::invalid_argument,
        fmt::format("name what of pool '{}' is to change, for example --disable-away", name_));
  out.set_new_pools(new_);
  out.set_dry_run(dry_run_);
  return out;
}

result<exit_code> pool_update_command::run(session& s) {
  const auto asked = request();
  if (!asked) return report_lines(s, asked.error());
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  const auto done = update_settings(**server, *asked);
  if (!done) return report_lines(s, done.error());
  print_warnings(s, *done);
  if (s.as == format::json) {
    s.out.print_line(json_of(*done));
  } else if (s.as == format::name) {
    s.out.print_line("pool/" + escaped(name_));
  } else {
    const bool as_before = done->changed().empty() && !done->overrides_changed();
    s.out.print_line(fmt::format("pool/{} {}{}", escaped(name_),
                                 as_before ? "unchanged" : "updated",
                                 dry_run_ && !as_before ? " (dry run)" : ""));
    for (const auto& key : done->changed()) s.out.print_line("  " + escaped(text_of(key)));
  }
  return exit_code::success;
}

}  // namespace

void define_pool(CLI::App& app, command_set& commands) {
  define_part<pool_update_command>(app, commands, "update", "Change what is named of a pool.");
  app.footer(
      "argosyctl pool update gpu --disable-fair-share-preemption\n"
      "argosyctl get pools");
}

}  // namespace argosy::ctl
