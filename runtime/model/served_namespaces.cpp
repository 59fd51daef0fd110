// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/served_namespaces.hpp"

#include <algorithm>

#include "runtime/base/text.hpp"

namespace argosy::model {

namespace {

// No name of a namespace has these characters.
constexpr char between = '|';
constexpr char closing = '!';

/// Takes the first part off the value of the taint, which is not empty.
std::string_view next_part(std::string_view& value) noexcept {
  const auto end = std::min(value.find(between), value.size());
  const auto part = value.substr(0, end);
  value.remove_prefix(std::min(end + 1, value.size()));
  return part;
}

}  // namespace

std::string to_taint_value(const std::vector<std::string>& served,
                           const std::vector<std::string>& closed) {
  std::string out;
  const auto add = [&](const std::string& part) {
    if (!out.empty()) out += between;
    out += part;
  };
  for (const auto& each : served) add(each);
  for (const auto& each : closed) add(closing + each);
  return out;
}

std::pair<std::vector<std::string>, std::vector<std::string>> read_taint_value(
    std::string_view value) {
  std::pair<std::vector<std::string>, std::vector<std::string>> out;
  while (!value.empty()) {
    const auto part = next_part(value);
    if (part.starts_with(closing))
      out.second.emplace_back(part.substr(1));
    else
      out.first.emplace_back(part);
  }
  return out;
}

namespace_fate fate_in(std::string_view taint_value, std::string_view name) noexcept {
  bool any = false;
  bool served = false;
  while (!taint_value.empty()) {
    const auto part = next_part(taint_value);
    if (part.starts_with(closing)) {
      if (part.substr(1) == name) return namespace_fate::closed;
      continue;
    }
    any = true;
    served = served || fits_name(part, name);
  }
  return any && !served ? namespace_fate::unserved : namespace_fate::taken;
}

bool serves(const std::vector<std::string>& patterns, std::string_view name) noexcept {
  return patterns.empty() ||
         std::ranges::any_of(patterns, [&](const auto& each) { return fits_name(each, name); });
}

}  // namespace argosy::model
