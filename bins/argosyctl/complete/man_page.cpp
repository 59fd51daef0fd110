// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/complete/man_page.hpp"

#include <fmt/format.h>

#include <fstream>
#include <string_view>

#include "bins/argosyctl/verbs/help.hpp"

namespace argosy::ctl {

namespace {

/// The text as roff prints it: a backslash, a hyphen, and a dot or quote that begins a line have
/// meanings of their own there.
std::string roff(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    line_begins = c == '\n';
  }
  return out;
}

std::string upper(std::string text) {
  for (auto& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - ('a' - 'A'));
  return text;
}

/// Lines that are printed as they stand.
std::string as_it_stands(std::string_view text) {
  auto out = ".nf\n" + roff(text);
  if (!out.ends_with('\n')) out += '\n';
  return out + ".fi\n";
}

std::string trimmed(const std::string& words) {
  return words.substr(std::min(words.find_first_not_of(' '), words.size()));
}

std::string list_of(const help_section& section) {
  std::string out;
  for (const auto& [words, meaning] : section.lines)
    out += ".TP\n\\fB" + roff(trimmed(words)) + "\\fR\n" + roff(meaning) + '\n';
  return out;
}

std::string examples_text(const CLI::App& app) {
  std::string text;
  for (const auto& line : examples_of(app)) text += "  " + line + '\n';
  return text;
}

/// Adds a section for each verb below this one, with its own words and flags. The global flags
/// stand once on the page.
void add_parts(const CLI::App& app, std::string& out) {
  for (const auto* part : app.get_subcommands(nullptr)) {
    if (part->get_group().empty()) continue;
    out += ".SH \"" + roff(upper(path_of(part))) + "\"\n" + roff(part->get_description()) +
           "\n.PP\n\\fB" + roff(usage_of(*part)) + "\\fR\n";
    for (const auto& section : help_sections(*part))
      if (section.title != global_flags_group) out += list_of(section);
    if (const auto text = examples_text(*part); !text.empty())
      out += ".PP\nExamples:\n" + as_it_stands(text);
    add_parts(*part, out);
  }
}

void add_topics(std::string& out) {
  const auto names = help_topic_names();
  for (std::size_t begin = 0; begin < names.size();) {
    const auto end = std::min(names.find('|', begin), names.size());
    const auto name = names.substr(begin, end - begin);
    if (const auto text = help_topic(name))
      out += ".SH \"" + roff(upper(name)) + "\"\n" + as_it_stands(*text);
    begin = end + 1;
  }
}

std::string page_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? "argosyctl" : "argosyctl-" + app.get_name();
}

}  // namespace

std::string man_page(const CLI::App& app, const std::string& version) {
  const bool of_program = app.get_parent() == nullptr;
  const auto name = page_name(app);
  auto summary = app.get_description().substr(0, app.get_description().find(". "));
  if (const auto colon = summary.find(": "); of_program && colon != std::string::npos)
    summary = summary.substr(colon + 2);
  if (summary.ends_with('.')) summary.pop_back();
  auto out = fmt::format(".TH \"{}\" 1 \"\" \"{}\" \"Argosy\"\n", roff(upper(name)), roff(version));
  out += ".SH NAME\n" + roff(name) + " \\- " + roff(summary) + '\n';
  out += ".SH SYNOPSIS\n\\fB" + roff(usage_of(app)) + "\\fR\n";
  out += ".SH DESCRIPTION\n" + roff(app.get_description()) + '\n';
  for (const auto& section : help_sections(app))
    out += ".SH \"" + roff(upper(section.title)) + "\"\n" + list_of(section);
  if (!of_program) add_parts(app, out);
  if (const auto text = examples_text(app); !text.empty())
    out += ".SH EXAMPLES\n" + as_it_stands(text);
  if (of_program) add_topics(out);
  out += ".SH \"SEE ALSO\"\n";
  if (!of_program) return out + "\\fBargosyctl\\fR(1)\n";
  std::string others;
  for (const auto* verb : app.get_subcommands(nullptr))
    others += fmt::format("{}\\fB{}\\fR(1)", others.empty() ? "" : ",\n", roff(page_name(*verb)));
  return out + others + '\n';
}

result<std::size_t> write_man_pages(const CLI::App& app, const std::filesystem::path& folder,
                                    const std::string& version) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  std::size_t written = 0;
  const auto write = [&](const CLI::App& of) {
    std::ofstream out{folder / (page_name(of) + ".1")};
    out << man_page(of, version) << std::flush;
    ++written;
    return out.good();
  };
  bool good = write(app);
  for (const auto* verb : app.get_subcommands(nullptr))
    if (!verb->get_group().empty()) good = good && write(*verb);
  if (good) return written;
  return fail(ec::invalid_argument, "cannot write man pages into '" + folder.string() + "'");
}

}  // namespace argosy::ctl
