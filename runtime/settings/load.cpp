// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/load.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "runtime/base/suggest.hpp"
#include "runtime/settings/print.hpp"

namespace argosy::settings {

namespace {

constexpr std::string_view variable_prefix = "ARGOSY_";

failure all_of(const problem_list& problems) {
  std::string text;
  for (const auto& problem : problems) text.append(text.empty() ? "" : "\n").append(problem);
  return fail(ec::invalid_argument, std::move(text));
}

/// A flag's problem names the flag as people type it.
std::string flag_origin(const std::string& path) {
  return "flag " + path;
}

void apply_environment(field_table& table, const sources& from, problem_list& problems,
                       std::map<std::string, std::string>& origins) {
  if (!from.environment) return;
  for (const auto path : table.paths()) {
    const auto name = environment_name(path);
    const auto text = from.environment(name);
    if (!text) continue;
    table.set(path, *text, name, problems);
    origins[std::string{path}] = name;
  }
}

void apply_flags(field_table& table, const sources& from, problem_list& problems,
                 std::map<std::string, std::string>& origins) {
  for (const auto& [path, text] : from.flags) {
    if (table.set(path, text, flag_origin(path), problems))
      origins[path] = "flag";
    else
      problems.push_back(flag_origin(path) + ": there is no such setting" +
                         did_you_mean(path, table.paths()));
  }
}

/// Reads a mapping at the root; an empty file is fine.
void apply_root(field_table& table, const yaml::node& root, problem_list& problems,
                std::map<std::string, std::string>* origins) {
  if (root.is_mapping())
    table.read(root, problems, origins);
  else if (!root.is_null())
    problems.push_back(root.where() + ": a configuration is a mapping of keys to values");
}

/// The rules between keys; each mistake once, whatever broke the rule how often.
template <class T>
problem_list broken_rules(const loaded<T>& all) {
  problem_list found;
  check(all.value, found);
  problem_list problems;
  for (const auto& problem : found)
    if (auto text = placed(problem, all.origins);
        std::find(problems.begin(), problems.end(), text) == problems.end())
      problems.push_back(std::move(text));
  return problems;
}

template <class T>
result<loaded<T>> load_over(T defaults, const std::optional<yaml::document>& file,
                            const sources& from) {
  loaded<T> all{std::move(defaults), {}};
  problem_list problems;
  field_table table;
  describe(table, all.value);
  if (file) apply_root(table, file->root(), problems, &all.origins);
  apply_environment(table, from, problems, all.origins);
  apply_flags(table, from, problems, all.origins);
  if (problems.empty()) problems = broken_rules(all);
  if (!problems.empty()) return all_of(problems);
  return all;
}

result<std::optional<yaml::document>> parse_file(const sources& from) {
  if (!from.file) return std::optional<yaml::document>{};
  yaml::limits limits;
  limits.bytes_max = std::size_t{4} << 20;
  auto parsed = yaml::parse(from.file->second, from.file->first, limits);
  if (!parsed) return fail(std::move(parsed.error()));
  return std::optional<yaml::document>{std::move(*parsed)};
}

/// The preset that is named last; a name that is wrong is reported when the key is read.
scheduling::preset wanted_preset(const std::optional<yaml::node>& in_file, const sources& from) {
  constexpr std::string_view path = "scheduling.preset";
  std::string text;
  if (in_file) text = in_file->text();
  if (from.environment) text = from.environment(environment_name(path)).value_or(text);
  for (const auto& [name, value] : from.flags)
    if (name == path) text = value;
  return scheduling::parse_preset(text).value_or(scheduling::preset::argosy);
}

std::optional<yaml::node> preset_node(const std::optional<yaml::document>& file) {
  const auto section = file ? file->root().find("scheduling") : std::nullopt;
  return section ? section->find("preset") : std::nullopt;
}

}  // namespace

result<loaded<argosyd_settings>> load_argosyd(const sources& from) {
  auto file = parse_file(from);
  if (!file) return fail(std::move(file.error()));
  argosyd_settings defaults;
  defaults.scheduling = scheduling_settings{wanted_preset(preset_node(*file), from)};
  return load_over(std::move(defaults), *file, from);
}

result<loaded<agent_settings>> load_agent(const sources& from) {
  auto file = parse_file(from);
  if (!file) return fail(std::move(file.error()));
  return load_over(agent_settings{}, *file, from);
}

result<scheduling_settings> load_scheduling(std::string_view text, std::string file) {
  sources from;
  from.file = {std::move(file), std::string{text}};
  auto parsed = parse_file(from);
  if (!parsed) return fail(std::move(parsed.error()));
  if ((*parsed)->root().find("scheduling")) {
    auto whole = load_argosyd(from);
    if (!whole) return fail(std::move(whole.error()));
    return std::move(whole->value.scheduling);
  }
  auto section = load_over(scheduling_settings{wanted_preset((*parsed)->root().find("preset"), {})},
                           *parsed, from);
  if (!section) return fail(std::move(section.error()));
  return std::move(section->value);
}

std::string placed(const std::string& problem, const std::map<std::string, std::string>& origins) {
  constexpr auto in_paths = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.";
  constexpr std::string_view section = "scheduling.";
  for (auto from = problem.find_first_of(in_paths); from != std::string::npos;) {
    const auto end = std::min(problem.find_first_not_of(in_paths, from), problem.size());
    const auto path = problem.substr(from, end - from);
    auto found = origins.find(path);
    // In a file of that section alone.
    if (found == origins.end() && path.starts_with(section))
      found = origins.find(path.substr(section.size()));
    if (found != origins.end()) return found->second + ": " + problem;
    from = problem.find_first_of(in_paths, end);
  }
  return problem;
}

namespace {

/// For so long a file that is no regular one may give nothing.
constexpr int patience_ms = 5'000;

/// Reads to the end of the file, or to more than so many bytes. Returns 0 or an errno.
int read_all(int fd, std::uint64_t bytes_max, std::string& text) {
  char block[65'536];
  while (text.size() <= bytes_max) {
    pollfd when{fd, POLLIN, 0};
    const int ready = ::poll(&when, 1, patience_ms);
    if (ready == 0) return ETIMEDOUT;
    const auto got = ready < 0 ? -1 : ::read(fd, block, sizeof block);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return errno;
    if (got == 0) return 0;
    text.append(block, static_cast<std::size_t>(got));
  }
  return 0;
}

}  // namespace

result<std::string> read_file(const std::string& path, std::uint64_t bytes_max) {
  // The name may be that of a pipe, which a shell makes of "<(command)": whoever writes into it is
  // waited for, but not for ever.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  std::string text;
  const int why = fd < 0 ? errno : read_all(fd, bytes_max, text);
  if (fd >= 0) ::close(fd);
  if (why != 0)
    return fail(why == ENOENT ? ec::not_found : ec::denied,
                "cannot read '" + path + "': " + std::strerror(why));
  if (text.size() > bytes_max)
    return fail(ec::too_large,
                "'" + path + "' has more than " + std::to_string(bytes_max) + " bytes");
  return text;
}

std::function<std::optional<std::string>(const std::string&)> system_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>{value};
  };
}

std::vector<std::string> system_variables() {
  std::vector<std::string> out;
  for (char** one = ::environ; one != nullptr && *one != nullptr; ++one) {
    const std::string_view text{*one};
    out.emplace_back(text.substr(0, text.find('=')));
  }
  return out;
}

std::string environment_name(std::string_view path) {
  std::string name{variable_prefix};
  for (const char c : path) {
    if (c == '.') {
      name += '_';
      continue;
    }
    if (std::isupper(static_cast<unsigned char>(c)) != 0) name += '_';
    name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

std::string print_effective(const loaded<argosyd_settings>& settings) {
  auto copy = settings.value;
  // What is printed is shown to others. A hash could be tried against lists of passwords.
  for (auto& user : copy.access.users) user.password_hash = "***";
  field_table table;
  describe(table, copy);
  return print_effective(table, settings.origins);
}

std::string print_effective(const loaded<agent_settings>& settings) {
  auto copy = settings.value;
  field_table table;
  describe(table, copy);
  return print_effective(table, settings.origins);
}

std::string documented_argosyd() {
  argosyd_settings defaults;
  field_table table;
  describe(table, defaults);
  return print_documented(
      table,
      "Configuration of argosyd, with every key and its default. Copy into a file of your own "
      "what you want to change; a key that is left out has its default. `argosyd config check "
      "--config FILE` names mistakes with line and column, and `argosyd config print --config "
      "FILE` shows what is in effect and where each value comes from. An environment variable "
      "overrides the file (cycle.minGap is ARGOSY_CYCLE_MIN_GAP), and a flag overrides both. "
      "Durations are written as 20ms, 1s, 1h30m or 7d, sizes as 512KiB, 8MB or 4Gi. A value "
      "outside the range that is named here is refused at the start. messages/GLOSSARY.md "
      "explains the words.");
}

std::string documented_agent() {
  agent_settings defaults;
  field_table table;
  describe(table, defaults);
  return print_documented(
      table,
      "Configuration of argosy-agent, with every key and its default. Copy into a file of your "
      "own what you want to change; a key that is left out has its default. `argosy-agent config "
      "check --config FILE` names mistakes with line and column. An environment variable "
      "overrides the file (heartbeat is ARGOSY_HEARTBEAT), and a flag overrides both. Durations "
      "are written as 20ms, 1s, 1h30m or 7d, sizes as 512KiB, 8MB or 4Gi. A value outside the "
      "range that is named here is refused at the start. messages/GLOSSARY.md explains the "
      "words.");
}

}  // namespace argosy::settings
