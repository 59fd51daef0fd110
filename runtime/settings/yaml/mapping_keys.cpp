// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/yaml/mapping_keys.hpp"

namespace argosy::yaml {

namespace {

/// A mapping of fewer keys than this is walked, which is faster there than a set.
constexpr std::size_t walk_max = 24;

std::optional<std::uint32_t> line_of(const node& mapping, std::string_view key) {
  for (const auto entry : mapping.entries())
    if (entry.key.text() == key) return entry.key.line();
  return std::nullopt;
}

}  // namespace

std::optional<std::uint32_t> mapping_keys::add(const node& mapping, std::uint32_t index,
                                               std::size_t depth, std::string_view key) {
  if (mapping.size() < walk_max) return line_of(mapping, key);
  if (keys_of(mapping, index, depth).insert(std::string{key}).second) return std::nullopt;
  return line_of(mapping, key);
}

mapping_keys::key_set& mapping_keys::keys_of(const node& mapping, std::uint32_t index,
                                             std::size_t depth) {
  while (!large_.empty() && (large_.back().depth > depth ||
                             (large_.back().depth == depth && large_.back().index != index)))
    large_.pop_back();
  if (large_.empty() || large_.back().depth < depth) {
    large_.push_back({depth, index, {}});
    for (const auto entry : mapping.entries())
      large_.back().keys.insert(std::string{entry.key.text()});
  }
  return large_.back().keys;
}

}  // namespace argosy::yaml
