// SPDX-License-Identifier: Apache-2.0
// This file defines how each type of setting is written, so that value.cpp reads it back.
#include <array>
#include <charconv>
#include <span>

#include "runtime/model/quantity.hpp"
#include "runtime/settings/units.hpp"
#include "runtime/settings/value.hpp"

namespace argosy::settings {

namespace {

using std::chrono::milliseconds;

template <class List, class Print>
std::string print_map(const List& list, Print print) {
  std::string out = "{";
  for (const auto& [name, value] : list) {
    if (out.size() > 1) out += ", ";
    out += quote(name) + ": " + print(name, value);
  }
  return out + '}';
}

}  // namespace

std::string print_value(bool value) {
  return value ? "true" : "false";
}

std::string print_value(std::uint32_t value) {
  return std::to_string(value);
}

std::string print_value(std::int32_t value) {
  return std::to_string(value);
}

std::string print_value(std::int64_t value) {
  return std::to_string(value);
}

std::string print_value(std::uint64_t value) {
  return std::to_string(value);
}

std::string print_value(double value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text{buffer, end};
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string print_value(const std::string& value) {
  return quote(value);
}

std::string print_value(milliseconds value) {
  auto rest = value.count();
  if (rest == 0) return "0s";
  // Days are used only where they are whole, so that 36h does not become 1d12h.
  if (rest % time_units[0].amount == 0) return std::to_string(rest / time_units[0].amount) + "d";
  std::string text;
  for (const auto& [name, amount] : std::span{time_units}.subspan(1)) {
    if (rest < amount) continue;
    text += std::to_string(rest / amount);
    text += name;
    rest %= amount;
  }
  return text;
}

std::string print_value(std::chrono::nanoseconds value) {
  return print_value(std::chrono::duration_cast<milliseconds>(value));
}

std::string print_value(const byte_size& value) {
  for (const auto& [name, amount] : binary_units)
    if (value.bytes != 0 && value.bytes % static_cast<std::uint64_t>(amount) == 0)
      return std::to_string(value.bytes / static_cast<std::uint64_t>(amount)) + std::string{name} +
             'B';
  for (const auto& [name, amount] : decimal_units)
    if (value.bytes != 0 && value.bytes % static_cast<std::uint64_t>(amount) == 0)
      return std::to_string(value.bytes / static_cast<std::uint64_t>(amount)) + std::string{name} +
             'B';
  return std::to_string(value.bytes);
}

std::string print_value(const std::vector<std::string>& value) {
  std::string out = "[";
  for (const auto& item : value) out += (out.size() > 1 ? ", " : "") + quote(item);
  return out + ']';
}

std::string print_value(const pattern& value) {
  return print_value(value.text());
}

std::string print_value(const std::vector<pattern>& value) {
  std::vector<std::string> texts;
  for (const auto& each : value) texts.push_back(each.text());
  return print_value(texts);
}

std::string print_value(const id_list& value) {
  std::string out = "[";
  for (const auto id : value) out += (out.size() > 1 ? ", " : "") + std::to_string(id);
  return out + ']';
}

std::string print_value(const amount_list& value) {
  return print_map(value, [](const std::string& name, std::int64_t amount) {
    return model::format_quantity(amount, model::unit_of(name));
  });
}

std::string print_value(const label_list& value) {
  return print_map(value, [](const std::string&, const std::string& text) { return quote(text); });
}

std::string print_value(const number_list& value) {
  return print_map(value, [](const std::string&, double number) { return print_value(number); });
}

std::string print_value(const duration_list& value) {
  return print_map(value,
                   [](const std::string&, milliseconds duration) { return print_value(duration); });
}

std::string print_value(const word_lists& value) {
  return print_map(value, [](const std::string&, const std::vector<std::string>& words) {
    return print_value(words);
  });
}

std::string quote(std::string_view text) {
  constexpr std::string_view safe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-:";
  constexpr std::array<std::string_view, 12> words{"true", "false", "null", "yes", "no",   "on",
                                                   "off",  "y",     "n",    "~",   "True", "False"};
  bool plain = !text.empty() && text.find_first_not_of(safe) == std::string_view::npos &&
               std::string_view{"-:.0123456789"}.find(text[0]) == std::string_view::npos &&
               !text.ends_with(':');
  for (const auto word : words) plain = plain && text != word;
  if (plain) return std::string{text};
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else
      out += c;
  }
  return out += '"';
}

}  // namespace argosy::settings
