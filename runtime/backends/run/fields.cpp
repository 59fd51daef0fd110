// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/run/fields.hpp"

#include <charconv>

namespace argosy::backends {

namespace {

constexpr std::string_view end_mark{"end=\0", 5};

}  // namespace

void field_list::add(std::string_view name, std::string_view value) {
  items_.emplace_back(name, value);
}

void field_list::add(std::string_view name, std::int64_t value) {
  items_.emplace_back(name, std::to_string(value));
}

std::optional<std::string_view> field_list::text(std::string_view name) const {
  for (const auto& [key, value] : items_)
    if (key == name) return value;
  return std::nullopt;
}

std::optional<std::int64_t> field_list::number(std::string_view name) const {
  const auto found = text(name);
  if (!found) return std::nullopt;
  std::int64_t value = 0;
  const auto* last = found->data() + found->size();
  const auto [end, code] = std::from_chars(found->data(), last, value);
  if (code != std::errc{} || end != last) return std::nullopt;
  return value;
}

std::vector<std::string> field_list::all(std::string_view name) const {
  std::vector<std::string> out;
  for (const auto& [key, value] : items_)
    if (key == name) out.push_back(value);
  return out;
}

result<std::string> field_list::encode() const {
  std::string out;
  for (const auto& [key, value] : items_) {
    if (value.find('\0') != std::string::npos)
      return fail(ec::invalid_argument, "'" + key + "' holds a zero byte");
    out.append(key).append(1, '=').append(value).append(1, '\0');
  }
  out.append(end_mark);
  return out;
}

result<field_list> field_list::decode(std::string_view bytes) {
  field_list out;
  if (!bytes.ends_with(end_mark)) return fail(ec::corrupt, "a run file is cut short");
  bytes.remove_suffix(end_mark.size());
  while (!bytes.empty()) {
    const auto end = bytes.find('\0');
    if (end == std::string_view::npos) return fail(ec::corrupt, "an item of a run file has no end");
    const auto item = bytes.substr(0, end);
    const auto equals = item.find('=');
    if (equals == std::string_view::npos)
      return fail(ec::corrupt, "an item of a run file has no '='");
    out.add(item.substr(0, equals), item.substr(equals + 1));
    bytes.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace argosy::backends
