// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/mistakes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bins/argosyctl/verbs/exact_words.hpp"
#include "runtime/base/suggest.hpp"
#include "runtime/base/text.hpp"

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

/// The words that may follow a verb: "jobs, jobsets, queues".
std::string known_words(const CLI::App& app) {
  std::string known;
  for (const auto* sub : app.get_subcommands(nullptr))
    if (!sub->get_group().empty()) known += (known.empty() ? "" : ", ") + sub->get_name();
  return known;
}

std::string behind(const CLI::App& app) {
  return app.get_parent() == nullptr ? std::string{} : fmt::format(" of '{}'", app.get_name());
}

error surplus(const CLI::App& app, const std::string& word) {
  return {ec::invalid_argument, fmt::format("unexpected argument '{}'{}", word, behind(app))};
}

error unknown_flag(const CLI::App& app, const std::string& word) {
  const auto name = word.substr(0, word.find('='));
  return {ec::invalid_argument, fmt::format("there is no flag '{}'{}{}", name, behind(app),
                                            did_you_mean(name, flag_names(app)))};
}

/// The error for an unknown verb, or for an unknown word behind a verb.
error unknown_word(const CLI::App& app, const std::string& word) {
  const auto known = subcommand_names(app);
  if (known.empty()) return surplus(app, word);
  const bool at_root = app.get_parent() == nullptr;
  const auto meaning = foreign_meaning(at_root ? std::string{} : app.get_name(), lower_case(word));
  auto text = fmt::format("there is no {} '{}'{}", at_root ? "verb" : "kind", word, behind(app));
  if (!meaning.empty())
    text += fmt::format("; what you want is probably: argosyctl {}", meaning);
  else
    text += did_you_mean(word, known);
  if (!at_root) text += fmt::format("\nThe kinds of '{}' are {}", app.get_name(), known_words(app));
  return {ec::invalid_argument, std::move(text)};
}

}  // namespace

std::optional<error> leftover_words(const CLI::App& app, const CLI::App& at,
                                    const std::vector<std::string>& words) {
  auto extras = app.remaining(true);
  std::ranges::transform(extras, extras.begin(), without_marks);
  if (const auto mark = std::find(extras.begin(), extras.end(), "--"); mark != extras.end())
    extras.erase(mark);
  if (!extras.empty()) {
    // A flag that is not known has made words behind it be taken for something else.
    const auto flag = std::find_if(
        words.begin(), std::find(words.begin(), words.end(), "--"), [&](const std::string& each) {
          return each.starts_with("--") &&
                 std::find(extras.begin(), extras.end(), each) != extras.end();
        });
    if (flag != words.end() && *flag != "--") return unknown_flag(at, *flag);
    const auto& word = extras.front();
    const auto mark = std::find(words.begin(), words.end(), "--");
    if (std::find(mark, words.end(), word) != words.end()) return surplus(at, word);
    return word.starts_with('-') && word != "-" ? unknown_flag(at, word) : unknown_word(at, word);
  }
  if (subcommand_names(at).empty()) return std::nullopt;
  return error{ec::invalid_argument,
               fmt::format("name what to do after '{}': {}", at.get_name(), known_words(at))};
}

std::string parser_message(const CLI::App& app, const CLI::ParseError& said) {
  const auto text = without_marks(said.what());
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
  return text;
}

}  // namespace argosy::ctl
