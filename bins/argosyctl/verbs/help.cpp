// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "bins/argosyctl/output/text.hpp"

namespace argosy::ctl {

namespace {

constexpr std::size_t usual_width = 100;
constexpr std::size_t left_max = 30;

std::string drawn(const help_section& section, std::size_t width) {
  std::size_t left = 0;
  for (const auto& [words, _] : section.lines) left = std::max(left, display_width(words));
  left = std::min(left, left_max);
  std::string out = section.title + ":\n";
  for (const auto& [words, meaning] : section.lines) {
    out += "  " + padded(words, left);
    if (display_width(words) > left) out += "\n  " + std::string(left, ' ');
    out += "  " + wrapped(meaning, left + 4, width) + '\n';
  }
  return out + '\n';
}

/// The names of a flag: "  -q, --queue QUEUE", with a gap where it has no short name.
std::string flag_words(const CLI::Option& flag) {
  std::string words = flag.get_snames().empty() ? "    " : "-" + flag.get_snames().front() + ", ";
  words += "--" + flag.get_lnames().front();
  for (const auto& opposite : flag.get_fnames()) words += ", --" + opposite;
  const auto type = flag.get_type_name();
  // A flag that may stand without a value takes it behind an equals sign.
  if (!type.empty()) words += (type.front() == '[' ? "" : " ") + type.substr(0, type.find(':'));
  return words;
}

bool is_shown(const CLI::Option& option) {
  return !option.get_group().empty() && !option.get_lnames().empty();
}

void add_flags(const CLI::App& app, std::vector<help_section>& sections) {
  help_section own{"Flags", {}};
  help_section global{global_flags_group, {}};
  for (const auto* option : app.get_options()) {
    if (!is_shown(*option)) continue;
    const bool is_global = option->get_group() == global_flags_group || option->check_lname("help");
    auto meaning = option->get_description();
    if (!option->get_default_str().empty())
      meaning += fmt::format(" (usually {})", option->get_default_str());
    (is_global ? global : own).lines.push_back({flag_words(*option), std::move(meaning)});
  }
  for (auto* section : {&own, &global})
    if (!section->lines.empty()) sections.push_back(std::move(*section));
}

void add_subcommands(const CLI::App& app, std::vector<help_section>& sections) {
  std::map<std::string, std::size_t> at;
  for (const auto* sub : app.get_subcommands(nullptr)) {
    if (sub->get_group().empty()) continue;
    const auto [found, fresh] = at.try_emplace(sub->get_group(), sections.size());
    if (fresh) sections.push_back({sub->get_group(), {}});
    auto words = sub->get_name();
    for (const auto& alias : sub->get_aliases()) words += ", " + alias;
    sections[found->second].lines.push_back({std::move(words), sub->get_description()});
  }
}

}  // namespace

std::string path_of(const CLI::App* app) {
  std::string path;
  for (; app->get_parent() != nullptr; app = app->get_parent())
    path = app->get_name() + (path.empty() ? "" : " ") + path;
  return path;
}

std::vector<help_section> help_sections(const CLI::App& app) {
  std::vector<help_section> sections;
  help_section words{"Words", {}};
  for (const auto* option : app.get_options())
    if (option->get_positional())
      words.lines.push_back({option->get_type_name(), option->get_description()});
  if (!words.lines.empty()) sections.push_back(std::move(words));
  add_subcommands(app, sections);
  add_flags(app, sections);
  return sections;
}

std::string usage_of(const CLI::App& app) {
  auto usage = "argosyctl" + (path_of(&app).empty() ? "" : " " + path_of(&app));
  for (const auto* option : app.get_options()) {
    if (!option->get_positional()) continue;
    const bool many = option->get_expected_max() > 1;
    const auto word = option->get_type_name() + (many ? "…" : "");
    usage += option->get_required() ? " " + word : " [" + word + "]";
  }
  const auto subs = app.get_subcommands(nullptr);
  if (!subs.empty()) usage += subs.front()->get_group() == "Kinds" ? " KIND" : " VERB";
  return usage + " [flags]";
}

std::vector<std::string> examples_of(const CLI::App& app) {
  std::vector<std::string> out;
  const auto footer = app.get_footer();
  for (std::size_t begin = 0; begin < footer.size();) {
    const auto end = std::min(footer.find('\n', begin), footer.size());
    out.push_back(footer.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

std::string help_text(const CLI::App& app, std::size_t width) {
  if (width == 0) width = usual_width;
  std::string out =
      wrapped(app.get_description(), 0, width) + "\n\nUsage: " + usage_of(app) + "\n\n";
  const auto examples = examples_of(app);
  if (!examples.empty()) out += "Examples:\n";
  for (const auto& line : examples) out += "  " + line + '\n';
  if (!examples.empty()) out += '\n';
  for (const auto& section : help_sections(app)) out += drawn(section, width);
  out += wrapped(
             "A job is named by its id, by the beginning of it, by '@last' for the jobs of the "
             "last submission, or by '-' for ids from stdin.",
             0, width) +
         '\n';
  out += fmt::format("More: argosyctl VERB --help, argosyctl help {}\n", help_topic_names());
  if (app.get_parent() == nullptr) out += "Man pages: argosyctl help --man DIR\n";
  return out;
}

}  // namespace argosy::ctl
