// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/cli.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bins/argosyctl/complete/completion.hpp"
#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/spelling.hpp"
#include "bins/argosyctl/verbs/system/version.hpp"
#include "runtime/base/suggest.hpp"

namespace argosy::ctl {

namespace {

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* sub : app.get_subcommands(nullptr)) {
    names.push_back(sub->get_name());
    for (const auto& alias : sub->get_aliases()) names.push_back(alias);
  }
  return names;
}

std::vector<std::string> flag_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options())
    if (!option->get_group().empty())
      for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// The sub-command that was entered last.
CLI::App* deepest(CLI::App& app) {
  auto* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().back();
  return at;
}

std::string behind(const CLI::App& app) {
  return app.get_parent() == nullptr ? std::string{} : fmt::format(" of '{}'", app.get_name());
}

error surplus(const CLI::App& app, const std::string& word) {
  return {ec::invalid_argument, fmt::format("unexpected argument '{}'{}", word, behind(app))};
}

error unknown_word(const CLI::App& app, const std::string& word) {
  const bool at_root = app.get_parent() == nullptr;
  const auto path = behind(app);
  if (word.starts_with('-') && word != "-") {
    const auto name = word.substr(0, word.find('='));
    return {ec::invalid_argument, fmt::format("there is no flag '{}'{}{}", name, path,
                                              did_you_mean(name, flag_names(app)))};
  }
  const auto known = subcommand_names(app);
  if (known.empty()) return surplus(app, word);
  return {ec::invalid_argument, fmt::format("there is no {} '{}'{}{}", at_root ? "verb" : "kind",
                                            word, path, did_you_mean(word, known))};
}

/// What is wrong with the words after CLI11 was content with them, or nothing. CLI11 may leave the
/// `--` that ends the flags among those that it did not know.
std::optional<error> leftover(CLI::App& app, const std::vector<std::string>& words) {
  const auto* at = deepest(app);
  auto extras = app.remaining(true);
  if (const auto mark = std::find(extras.begin(), extras.end(), "--"); mark != extras.end())
    extras.erase(mark);
  if (!extras.empty()) {
    const auto mark = std::find(words.begin(), words.end(), "--");
    const bool is_name = std::find(mark, words.end(), extras.front()) != words.end();
    return is_name ? surplus(*at, extras.front()) : unknown_word(*at, extras.front());
  }
  if (subcommand_names(*at).empty()) return std::nullopt;
  std::string known;
  for (const auto* sub : at->get_subcommands(nullptr))
    if (!sub->get_group().empty()) known += (known.empty() ? "" : ", ") + sub->get_name();
  return error{ec::invalid_argument,
               fmt::format("name what to do after '{}': {}", at->get_name(), known)};
}

result<format> chosen_format(const global_flags& flags, const environment& env,
                             const std::vector<std::string>& known) {
  if (known.empty()) return format::table;
  const auto knows = [&](const std::string& name) {
    return std::find(known.begin(), known.end(), name) != known.end();
  };
  if (flags.output.empty()) {
    const auto usual = env.variable("ARGOSY_OUTPUT");
    return *parse_format(usual && knows(*usual) ? *usual : known.front());
  }
  if (!knows(flags.output)) {
    std::string list;
    for (const auto& name : known) list += (list.empty() ? "" : ", ") + name;
    return fail(ec::invalid_argument, fmt::format("-o {}: this verb writes {}{}", flags.output,
                                                  list, did_you_mean(flags.output, known)));
  }
  return *parse_format(flags.output);
}

/// A server that is slow still gets to answer when little time is left to wait.
void settle_timeout(session& s, std::chrono::milliseconds given, bool waits) {
  constexpr std::chrono::milliseconds answer_time_min{5'000};
  if (waits) s.wait_limit = given;
  s.timeout = waits ? std::clamp(given, std::min(answer_time_min, s.timeout), s.timeout) : given;
}

result<void> settle_flags(session& s, const command& chosen) {
  auto as = chosen_format(s.flags, s.env, chosen.formats());
  if (!as) return fail(std::move(as.error()));
  s.as = *as;
  if (!s.flags.timeout.empty()) {
    auto timeout = parse_duration(s.flags.timeout);
    if (!timeout) return fail(ec::invalid_argument, "--timeout: " + timeout.error().detail);
    if (timeout->count() == 0) return fail(ec::invalid_argument, "--timeout must be more than 0");
    settle_timeout(s, *timeout, chosen.waits());
  }
  if (s.flags.colour == "always") s.out.where().colours = true;
  if (s.flags.colour == "never") s.out.where().colours = false;
  return {};
}

/// "get jobs"; empty for the program itself.
std::string path_of(const CLI::App* app) {
  std::string path;
  for (; app->get_parent() != nullptr; app = app->get_parent())
    path = app->get_name() + (path.empty() ? "" : " ") + path;
  return path;
}

void hint_at_help(session& s, const CLI::App& app) {
  const auto path = path_of(&app);
  s.out.hint(fmt::format("see: argosyctl {}{}--help", path, path.empty() ? "" : " "));
}

void print_help(session& s, CLI::App& app) {
  const auto* parent = app.get_parent();
  auto before = parent == nullptr ? std::string{} : path_of(parent);
  if (parent != nullptr) before = before.empty() ? "argosyctl" : "argosyctl " + before;
  s.out.print(app.help(before));
}

/// What CLI11 says, in our words: it calls a missing argument by the name of our variable.
std::string parser_message(const CLI::App& app, const CLI::ParseError& said) {
  const std::string text = said.what();
  const auto flag = text.substr(0, text.find(':'));
  constexpr std::string_view unreadable = "Could not convert: ";
  if (said.get_name() == "ArgumentMismatch" && text.ends_with(" missing"))
    if (const auto* option = app.get_option_no_throw(flag); option != nullptr)
      return fmt::format("{} needs a value: {}", flag, option->get_type_name());
  if (said.get_name() == "ConversionError" && text.starts_with(unreadable)) {
    const auto equals = text.find(" = ");
    if (equals != std::string::npos)
      return fmt::format("{}: '{}' is not a number in range",
                         text.substr(unreadable.size(), equals - unreadable.size()),
                         text.substr(equals + 3));
  }
  if (said.get_name() == "RequiredError")
    for (const auto* option : app.get_options())
      if (option->get_required() && option->count() == 0)
        return fmt::format("{} is missing: {}", option->get_type_name(), option->get_description());
  return said.what();
}

/// Answers --help and --version; reports any other error of the parser.
exit_code parser_said(session& s, CLI::App& app, const CLI::ParseError& said) {
  if (said.get_name() == "CallForHelp" || said.get_name() == "CallForAllHelp") {
    print_help(s, *deepest(app));
    return exit_code::success;
  }
  if (said.get_name() == "CallForVersion") {
    s.out.print_line(version_line());
    return exit_code::success;
  }
  s.out.error_line(parser_message(*deepest(app), said));
  hint_at_help(s, *deepest(app));
  return exit_code::usage;
}

exit_code run_parsed(session& s, CLI::App& app, const std::vector<std::string>& words,
                     command_set& commands) {
  auto* chosen = commands.of(deepest(app));
  const auto wrong = leftover(app, words);
  if (wrong || chosen == nullptr) {
    s.out.error_line(wrong ? wrong->detail : "name a verb");
    hint_at_help(s, *deepest(app));
    return exit_code::usage;
  }
  s.flags = commands.flags();
  s.verb = path_of(deepest(app));
  if (auto settled = settle_flags(s, *chosen); !settled) return report(s.out, settled.error());
  auto done = chosen->run(s);
  s.out.status("");
  s.out.flush();
  if (!s.out.good()) {
    if (s.reader_gone()) return exit_code::reader_gone;
    s.out.error_line("cannot write to stdout");
    return exit_code::server_error;
  }
  const bool stopped = done && *done == exit_code::interrupted && !s.is_interrupted();
  if (stopped && s.reader_gone()) return exit_code::reader_gone;
  if (done) return *done;
  const auto code = report(s.out, done.error());
  // A server that gives up answers with the same code.
  const bool by_user = done.error().code == ec::cancelled && s.is_interrupted();
  return by_user ? exit_code::interrupted : code;
}

}  // namespace

exit_code run_cli(std::vector<std::string> words, session& s) {
  CLI::App app{"argosyctl: submit, watch and manage batch jobs of an Argosy server.", "argosyctl"};
  app.get_formatter()->label("SUBCOMMAND", "VERB");
  command_set commands;
  define_all(app, commands);
  if (!words.empty() && words.front() == "__complete") {
    words.erase(words.begin());
    return complete_words(std::move(words), app, commands, s);
  }
  if (words.empty()) {
    s.out.print(app.help());
    return exit_code::usage;
  }
  words = settled_words(app, std::move(words));
  try {
    std::vector<std::string> reversed(words.rbegin(), words.rend());
    app.parse(std::move(reversed));
  } catch (const CLI::ParseError& said) {
    return parser_said(s, app, said);
  }
  return run_parsed(s, app, words, commands);
}

}  // namespace argosy::ctl
