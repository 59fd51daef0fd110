// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/exact_words.hpp"

#include <string_view>

namespace argosy::ctl {

namespace {

constexpr char mark = '\x01';
constexpr std::string_view marked_end = "]\x01";

/// Whether the word ends with a bracket, and perhaps with characters that look like marks.
bool needs_mark(std::string_view word) {
  const auto last = word.find_last_not_of(mark);
  return last != std::string_view::npos && word[last] == ']';
}

}  // namespace

std::vector<std::string> marked_words(std::vector<std::string> words) {
  for (auto& word : words)
    if (needs_mark(word)) word += mark;
  return words;
}

std::string without_marks(std::string text) {
  for (auto at = text.find(marked_end); at != std::string::npos; at = text.find(marked_end, at + 1))
    text.erase(at + 1, 1);
  return text;
}

void take_exact_words(CLI::App& app) {
  for (auto* option : app.get_options())
    option->transform([](std::string word) {
      if (needs_mark(word) && word.back() == mark) word.pop_back();
      return word;
    });
  for (auto* verb : app.get_subcommands(nullptr)) take_exact_words(*verb);
}

}  // namespace argosy::ctl
