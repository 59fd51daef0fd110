// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/output/yaml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "runtime/base/text.hpp"

namespace argosy::ctl {

namespace {

using json = nlohmann::ordered_json;

/// Whether a text means itself when it stands without quotes: a word of letters that is no word of
/// YAML, or a path of such words.
bool stands_plain(const std::string& text) {
  if (text.empty() || text.size() > 200) return false;
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_inner = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '/';
  };
  if (!is_letter(text.front()) || !std::all_of(text.begin(), text.end(), is_inner)) return false;
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (const auto* word : {"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
    if (lower == word) return false;
  return true;
}

std::string scalar(const json& value) {
  if (value.is_string() && stands_plain(value.get_ref<const std::string&>()))
    return value.get<std::string>();
  // Text in quotes is the same in JSON and in YAML but for some ends of lines.
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

void put(const json& value, std::size_t depth, std::string& out);

std::string key_text(const std::string& key) {
  return stands_plain(key) ? key : json(key).dump();
}

/// Writes what follows "key:" or "-".
void put_inner(const json& value, std::size_t depth, bool in_list, std::string& out) {
  if (!value.is_structured() || value.empty()) {
    out += ' ' + (value.is_structured() ? value.dump() : scalar(value)) + '\n';
    return;
  }
  if (in_list && value.is_object()) {
    // The first key stands on the line of the dash.
    std::string inner;
    put(value, depth + 1, inner);
    out += ' ' + inner.substr(2 * (depth + 1));
    return;
  }
  out += '\n';
  put(value, value.is_array() && !in_list ? depth : depth + 1, out);
}

void put(const json& value, std::size_t depth, std::string& out) {
  const std::string indent(2 * depth, ' ');
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) {
      out += indent + key_text(key) + ':';
      put_inner(inner, depth, false, out);
    }
  } else if (value.is_array()) {
    for (const auto& inner : value) {
      out += indent + '-';
      put_inner(inner, depth, true, out);
    }
  } else {
    out += indent + scalar(value) + '\n';
  }
}

std::string drawn(std::string_view text, bool as_item) {
  const auto value = json::parse(text, nullptr, false);
  if (value.is_discarded()) return std::string{text} + '\n';
  std::string out;
  if (as_item)
    put(json::array({value}), 0, out);
  else if (value.empty())
    out = value.dump() + '\n';
  else
    put(value, 0, out);
  return as_yaml(out);
}

}  // namespace

std::string as_yaml(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  while (!json.empty()) {
    const auto next = first_character(json);
    const auto code = next.code;
    const bool odd = (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 ||
                     code == 0xfeff || code == 0xfffe || code == 0xffff;
    if (next.valid && odd)
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code));
    else
      out += json.substr(0, next.size);
    json.remove_prefix(next.size);
  }
  return out;
}

std::string yaml_of(std::string_view json) {
  return drawn(json, false);
}

std::string yaml_item_of(std::string_view json) {
  return drawn(json, true);
}

}  // namespace argosy::ctl
