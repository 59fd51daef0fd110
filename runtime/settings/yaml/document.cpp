// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/yaml/document.hpp"

namespace argosy::yaml {

bool node::is_null() const noexcept {
  if (!is_scalar() || !plain()) return false;
  const auto value = text();
  return value.empty() || value == "~" || value == "null" || value == "Null" || value == "NULL";
}

std::string_view node::text() const noexcept {
  const auto& self = raw();
  if (self.what != kind::scalar) return {};
  return std::string_view{tree_->texts}.substr(self.begin, self.size);
}

std::string node::where() const {
  return tree_->file + ':' + std::to_string(line()) + ':' + std::to_string(column());
}

item_range node::items() const noexcept {
  return {tree_, is_sequence() ? raw().begin : detail::no_node};
}

entry_range node::entries() const noexcept {
  return {tree_, is_mapping() ? raw().begin : detail::no_node};
}

std::optional<node> node::find(std::string_view key) const noexcept {
  for (const auto entry : entries())
    if (entry.key.text() == key) return entry.value;
  return std::nullopt;
}

document document::empty(std::string file) {
  auto tree = std::make_unique<detail::tree>();
  tree->file = std::move(file);
  detail::raw_node root;
  root.begin = 0;
  root.line = 1;
  root.column = 1;
  root.plain = true;
  tree->nodes.push_back(root);
  return document{std::move(tree)};
}

failure fail_at(const node& where, std::string_view message) {
  return fail(ec::invalid_argument, where.where().append(": ").append(message));
}

}  // namespace argosy::yaml
