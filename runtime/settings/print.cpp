// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/print.hpp"

#include <algorithm>
#include <vector>

namespace argosy::settings {

namespace {

constexpr std::size_t line_max = 98;

std::string indent_of(const field& item) {
  return std::string(
      2 * static_cast<std::size_t>(std::count(item.path.begin(), item.path.end(), '.')), ' ');
}

std::string_view name_of(const field& item) {
  return std::string_view{item.path}.substr(item.path.rfind('.') + 1);
}

/// Comment lines, broken at spaces.
std::string comment(std::string_view text, const std::string& indent) {
  std::string out;
  while (!text.empty()) {
    auto size = std::min(text.size(), line_max - indent.size() - 2);
    if (size < text.size()) {
      const auto space = text.rfind(' ', size);
      if (space != std::string_view::npos && space > 0) size = space;
    }
    out += indent + "# " + std::string{text.substr(0, size)} + '\n';
    text.remove_prefix(std::min(text.size(), size + 1));
  }
  return out;
}

/// "nats://TOKEN@host" as "nats://***@host".
std::string without_user(std::string text) {
  for (std::size_t from = 0; (from = text.find("//", from)) != std::string::npos;) {
    from += 2;
    const auto end = text.find_first_of(",/", from);
    const auto at = text.substr(0, end).rfind('@');
    if (at != std::string::npos && at >= from) text.replace(from, at - from, "***");
  }
  return text;
}

/// "name: value", or the name and a block below it; every line behind `lead`.
std::string entry(const field& item, const std::string& lead, const std::string& remark) {
  auto out = lead + std::string{name_of(item)} + ':';
  const auto block = item.bound ? item.bound->block() : std::vector<std::string>{};
  if (item.bound && block.empty())
    out += ' ' + (item.secret_url ? without_user(item.bound->print()) : item.bound->print());
  out += remark + '\n';
  for (const auto& line : block) out += lead + "  " + line + '\n';
  return out;
}

}  // namespace

std::string print_effective(const field_table& table,
                            const std::map<std::string, std::string>& origins) {
  std::string out;
  for (const auto& item : table.fields()) {
    std::string remark;
    if (item.bound) {
      const auto origin = origins.find(item.path);
      remark = "  # " + (origin == origins.end() ? std::string{"default"} : origin->second);
    }
    out += entry(item, indent_of(item), remark);
  }
  return out;
}

std::string print_values(const field_table& table) {
  std::string out;
  for (const auto& item : table.fields()) out += entry(item, indent_of(item), "");
  return out;
}

std::string print_documented(const field_table& table, std::string_view heading) {
  std::string out = "# SPDX-License-Identifier: Apache-2.0\n" + comment(heading, "");
  for (const auto& item : table.fields()) {
    const auto indent = indent_of(item);
    if (indent.empty()) out += '\n';
    out += comment(item.doc, indent);
    out += entry(item, indent + (item.by_preset ? "#" : ""), "");
  }
  return out;
}

}  // namespace argosy::settings
