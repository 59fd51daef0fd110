// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/label_syntax.hpp"

#include <algorithm>
#include <cstddef>

#include "runtime/model/alphanumeric.hpp"

namespace argosy::model {

namespace {

constexpr std::size_t word_size_max = 63;
constexpr std::size_t prefix_size_max = 253;

constexpr bool is_letter_or_digit(char c) {
  return is_alphanumeric(c) || (c >= 'A' && c <= 'Z');
}

bool is_word(std::string_view text) {
  return text.size() <= word_size_max && !text.empty() && is_letter_or_digit(text.front()) &&
         is_letter_or_digit(text.back()) && std::ranges::all_of(text, [](char c) {
           return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
         });
}

}  // namespace

bool is_label_name(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return is_word(text);
  const auto prefix = text.substr(0, slash);
  return !prefix.empty() && prefix.size() <= prefix_size_max && is_alphanumeric(prefix.front()) &&
         is_alphanumeric(prefix.back()) &&
         std::ranges::all_of(prefix,
                             [](char c) { return is_alphanumeric(c) || c == '-' || c == '.'; }) &&
         is_word(text.substr(slash + 1));
}

bool is_label_value(std::string_view text) {
  return text.empty() || is_word(text);
}

}  // namespace argosy::model
