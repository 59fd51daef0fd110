// SPDX-License-Identifier: Apache-2.0
// How a verb is added to the program: a class whose constructor declares its flags and whose run()
// does the work, bound to a CLI11 app, and one entry in the table of verbs.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bins/argosyctl/output/exit_code.hpp"
#include "bins/argosyctl/verbs/session.hpp"

namespace argosy::ctl {

class command {
 public:
  virtual ~command() = default;
  /// The formats that -o accepts, the default first; empty: the verb has no -o.
  [[nodiscard]] virtual std::vector<std::string> formats() const { return {}; }
  /// Does the work. The caller reports errors.
  [[nodiscard]] virtual result<exit_code> run(session& s) = 0;
  /// Whether the parsed words make it wait for jobs, which --timeout then limits.
  [[nodiscard]] virtual bool waits() const { return false; }
  /// What --timeout means to the verb, for its help.
  [[nodiscard]] virtual std::string_view timeout_help() const {
    return "Longest time for a request, retries included; 30s if it is not given";
  }
  /// Says which names complete the positional arguments: "jobs", "queues", "contexts", "files",
  /// "rights", which are a verb and then a queue, or nothing.
  [[nodiscard]] virtual std::string_view completes() const { return {}; }
};

/// The timeout_help() of verbs that wait when they are told to.
inline constexpr std::string_view waiting_timeout_help =
    "Longest time to wait, with exit code 124 after it; without it there is no limit. A request "
    "has 30s";

/// The commands of all CLI11 apps.
class command_set {
 public:
  /// Makes `Command{app}` and adds the flags that all verbs have.
  template <class Command>
  void bind(CLI::App& app) {
    add(app, std::make_unique<Command>(app));
  }
  [[nodiscard]] command* of(const CLI::App* app) const;
  [[nodiscard]] global_flags& flags() noexcept { return flags_; }

 private:
  void add(CLI::App& app, std::unique_ptr<command> made);

  global_flags flags_;
  std::map<const CLI::App*, std::unique_ptr<command>> commands_;
};

/// Defines one verb.
using verb_definition = void(CLI::App& app, command_set& commands);

struct verb {
  std::string_view name;
  std::string_view summary;
  verb_definition* define;
};

/// All verbs, in the order of --help.
[[nodiscard]] std::span<const verb> all_verbs();

/// Lets names be given as `-o name` prints them: with `kind`, such as "queue", and a slash before
/// each. Returns the option.
CLI::Option* takes_printed(CLI::Option* names, const std::string& kind);

/// Defines a verb without sub-commands.
template <class Command>
void define_verb(CLI::App& app, command_set& commands) {
  commands.bind<Command>(app);
}

/// Defines a verb below another one: "node" has "cordon".
template <class Command>
void define_part(CLI::App& app, command_set& commands, const char* name, const char* summary) {
  auto* part = app.add_subcommand(name, summary);
  part->group("Verbs");
  part->allow_extras();
  commands.bind<Command>(*part);
}

/// The sub-command of that name or alias; null if there is none.
[[nodiscard]] const CLI::App* find_subcommand(const CLI::App& app, const std::string& name);

/// The command line's tree of verbs and flags, without the hidden ones.
void define_all(CLI::App& app, command_set& commands);

}  // namespace argosy::ctl
