// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/config_version.hpp"

#include <xxhash.h>

#include <algorithm>
#include <string>

#include "runtime/settings/print.hpp"

namespace argosy::settings {

std::uint64_t config_version(const scheduling_settings& settings) {
  auto copy = settings;  // The table binds to what it prints.
  field_table table;
  describe(table, copy);
  std::string text;
  for (const auto& item : table.fields())
    if (item.bound) text += item.path + ": " + item.bound->print() + '\n';
  return std::max<std::uint64_t>(XXH3_64bits(text.data(), text.size()), 1);
}

std::string config_text(const scheduling_settings& settings) {
  auto copy = settings;
  field_table table;
  describe(table, copy);
  return print_values(table);
}

}  // namespace argosy::settings
