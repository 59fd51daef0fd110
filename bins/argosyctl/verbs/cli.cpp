// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/cli.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "bins/argosyctl/complete/completion.hpp"
#include "bins/argosyctl/complete/man_page.hpp"
#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/exact_words.hpp"
#include "bins/argosyctl/verbs/help.hpp"
#include "bins/argosyctl/verbs/mistakes.hpp"
#include "bins/argosyctl/verbs/spelling.hpp"
#include "bins/argosyctl/verbs/system/version.hpp"
#include "bins/shared/empty_values.hpp"
#include "runtime/base/duration.hpp"
#include "runtime/base/suggest.hpp"
#include "runtime/base/utf8.hpp"
#include "runtime/settings/checks/variables.hpp"

namespace argosy::ctl {

namespace {

/// The sub-command that was entered last.
CLI::App* deepest(CLI::App& app) {
  auto* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().back();
  return at;
}

/// The titles behind "cols=" or "csv=". ec::invalid_argument if one of them is empty.
result<std::vector<std::string>> chosen_columns(std::string_view titles) {
  std::vector<std::string> out;
  while (true) {
    const auto end = std::min(titles.find(','), titles.size());
    out.emplace_back(titles.substr(0, end));
    if (out.back().empty())
      return fail(ec::invalid_argument,
                  "-o takes titles of columns with commas between them, such as cols=JOB,STATE");
    if (end == titles.size()) return out;
    titles.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> format_list() {
  std::vector<std::string_view> out;
  for (const auto& [name, value] : format_names) out.push_back(name);
  return out;
}

/// Whether some verb takes this behind -o.
bool is_format(std::string_view text) {
  return parse_format(text) || text.starts_with("cols=") || text.starts_with("csv=");
}

/// Tells of variables that no program reads: with a misspelt one, the verb goes to another server
/// than its user believes.
void tell_unknown_variables(session& s) {
  for (const auto& text : settings::unknown_variables(s.env.names())) s.out.notice(text);
}

/// Finds the format of the verb, and puts the columns that -o names into `columns`.
result<format> chosen_format(const global_flags& flags, const environment& env,
                             const std::vector<std::string>& known,
                             std::vector<std::string>& columns) {
  if (known.empty()) return format::table;
  const auto knows = [&](const std::string& name) {
    return std::find(known.begin(), known.end(), name) != known.end();
  };
  if (flags.output.empty()) {
    const auto usual = env.variable("ARGOSY_OUTPUT");
    if (usual && !is_format(*usual))
      return fail(ec::invalid_argument,
                  fmt::format("ARGOSY_OUTPUT is '{}', which is no format: no verb writes it{}",
                              *usual, did_you_mean(*usual, format_list())));
    // Columns differ from verb to verb, so that they are chosen by the flag alone.
    const bool is_usual = usual && knows(*usual) && !usual->ends_with('=');
    return *parse_format(is_usual ? *usual : known.front());
  }
  const auto equals = flags.output.find('=');
  const auto kind = flags.output.substr(0, equals);
  if (equals != std::string::npos && knows("cols=") && (kind == "cols" || kind == "csv")) {
    auto named = chosen_columns(std::string_view{flags.output}.substr(equals + 1));
    if (!named) return fail(std::move(named.error()));
    columns = std::move(*named);
    return kind == "csv" ? format::csv : format::cols;
  }
  if (!knows(flags.output)) {
    std::string list;
    for (const auto& name : known) list += (list.empty() ? "" : ", ") + name;
    return fail(ec::invalid_argument, fmt::format("-o {}: this verb writes {}{}", flags.output,
                                                  list, did_you_mean(flags.output, known)));
  }
  return *parse_format(flags.output);
}

/// Sets the time-out of calls, so that a slow server can still answer when little time is left to
/// wait.
void settle_timeout(session& s, std::chrono::milliseconds given, bool waits) {
  constexpr std::chrono::milliseconds answer_time_min{5'000};
  if (waits) s.wait_limit = given;
  s.timeout = waits ? std::clamp(given, std::min(answer_time_min, s.timeout), s.timeout) : given;
}

result<void> settle_flags(session& s, const command& chosen) {
  auto as = chosen_format(s.flags, s.env, chosen.formats(), s.columns);
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

void hint_at_help(session& s, const CLI::App& app) {
  const auto path = path_of(&app);
  s.out.hint(fmt::format("see: argosyctl {}{}--help", path, path.empty() ? "" : " "));
}

/// Answers --help and --version; reports any other error of the parser.
exit_code parser_said(session& s, CLI::App& app, const CLI::ParseError& said) {
  if (said.get_name() == "CallForHelp" || said.get_name() == "CallForAllHelp") {
    s.out.print(help_text(*deepest(app), s.out.where().width));
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
  const auto wrong = leftover_words(app, *deepest(app), words);
  if (wrong || chosen == nullptr) {
    s.out.error_line(wrong ? wrong->detail : "name a verb");
    hint_at_help(s, *deepest(app));
    return exit_code::usage;
  }
  s.flags = commands.flags();
  s.verb = path_of(deepest(app));
  tell_unknown_variables(s);
  if (auto settled = settle_flags(s, *chosen); !settled) return report(s.out, settled.error());
  auto done = chosen->run(s);
  s.out.status("");
  s.out.flush();
  const bool stopped = done && *done == exit_code::interrupted && !s.is_interrupted();
  if (stopped && s.reader_gone()) return exit_code::reader_gone;
  if (done) return *done;
  // The verb gave up since its output is lost, which is told by after_output().
  if (done.error().code == ec::cancelled && !s.out.good() && !s.is_interrupted())
    return exit_code::interrupted;
  const auto code = report(s.out, done.error());
  // A server that gives up answers with the same code, so that the signal is asked for, too.
  const bool by_user = done.error().code == ec::cancelled && s.is_interrupted();
  return by_user ? exit_code::interrupted : code;
}

/// Says so if the output of a verb was not written, and what was done all the same. Returns the
/// code with which argosyctl ends.
exit_code after_output(session& s, exit_code code) {
  s.out.status("");
  s.out.flush();
  if (s.out.good()) return code;
  const bool gone = s.reader_gone();
  // A user who reads only the first lines of a list wants no error for the rest.
  if (gone && !*s.changed) return exit_code::reader_gone;
  std::string text = "cannot write to stdout";
  if (!s.out.why_not_good().empty()) text += ": " + s.out.why_not_good();
  if (*s.changed)
    text += "; " + (s.carried_out.empty()
                        ? std::string{"what was asked for was carried out on the server"}
                        : s.carried_out);
  s.out.error_line(text);
  if (gone) return exit_code::reader_gone;
  // A verb that saw that its output is lost ended as if it had been interrupted.
  const bool stopped = code == exit_code::interrupted && !s.is_interrupted();
  return stopped || code == exit_code::success ? exit_code::server_error : code;
}

bool is_verb(const CLI::App& app, const std::string& word) {
  return !app.get_subcommands([&](const CLI::App* verb) { return verb->check_name(word); }).empty();
}

/// Requests have text alone, so that nothing is sent instead of these bytes. The names of files are
/// not sent.
const std::string* find_no_text(const std::vector<std::string>& words) {
  const auto found = std::ranges::find_if(words, [](const std::string& word) {
    return !is_utf8(word) && ::access(word.c_str(), F_OK) != 0;
  });
  return found == words.end() ? nullptr : &*found;
}

/// The parser would take the word behind such a flag as its value, as with --queue="$UNSET".
const std::string* find_no_value(const std::vector<std::string>& words) {
  const auto names = std::ranges::find(words, "--");
  const auto found = std::find_if(words.begin(), names, [](const std::string& word) {
    return word.starts_with("--") && word.find('=') == word.size() - 1;
  });
  return found == names ? nullptr : &*found;
}

exit_code run_words(std::vector<std::string> words, session& s) {
  CLI::App app{"argosyctl: submit, watch and manage batch jobs of an Argosy server.", "argosyctl"};
  command_set commands;
  define_all(app, commands);
  take_exact_words(app);
  if (!words.empty() && words.front() == "__complete") {
    words.erase(words.begin());
    return complete_words(std::move(words), app, commands, s);
  }
  if (words.empty()) {
    s.out.print(help_text(app, s.out.where().width));
    return exit_code::usage;
  }
  if (words.size() == 2 && words.front() == "help")
    if (const auto topic = help_topic(words.back())) {
      s.out.print(*topic);
      return exit_code::success;
    }
  if (words.size() == 2 && words.front() == "help" && !is_verb(app, words.back())) {
    s.out.error_line(
        fmt::format("there is no help about '{}'; there is help about {} and each verb",
                    words.back(), help_topic_names()));
    hint_at_help(s, app);
    return exit_code::usage;
  }
  if (words.size() == 3 && words.front() == "help" && words[1] == "--man") {
    const auto written = write_man_pages(app, words.back(), version_line());
    if (!written) return report(s.out, written.error());
    s.out.print_line(fmt::format("{} man pages written to {}", *written, words.back()));
    return exit_code::success;
  }
  if (const auto* bytes = find_no_text(words)) {
    s.out.error_line(fmt::format("'{}' is no text in UTF-8", *bytes));
    return exit_code::usage;
  }
  words = settled_words(app, std::move(words));
  if (const auto* flag = find_no_value(words)) {
    s.out.error_line(
        fmt::format("'{}' has no value; write one behind the '=', or leave the flag out", *flag));
    return exit_code::usage;
  }
  try {
    auto marked = marked_words(words);
    std::ranges::reverse(marked);
    app.parse(std::move(marked));
    refuse_empty(app);
  } catch (const CLI::ParseError& said) {
    return parser_said(s, app, said);
  }
  return run_parsed(s, app, words, commands);
}

}  // namespace

exit_code run_cli(std::vector<std::string> words, session& s) {
  return after_output(s, run_words(std::move(words), s));
}

}  // namespace argosy::ctl
