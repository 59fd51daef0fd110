// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/output/readable.hpp"
#include "bins/argosyctl/output/yaml.hpp"
#include "runtime/base/suggest.hpp"

namespace argosy::ctl {

namespace {

void keep(std::vector<std::string>& texts, const std::vector<std::size_t>& order) {
  if (texts.empty()) return;
  std::vector<std::string> kept;
  kept.reserve(order.size());
  for (const auto index : order) kept.push_back(std::move(texts[index]));
  texts = std::move(kept);
}

}  // namespace

void arrange(listing& items, const std::vector<std::size_t>& order) {
  items.rows.arrange(order);
  keep(items.names, order);
  keep(items.json, order);
}

result<void> settle_listing(const session& s, listing& items) {
  if (!s.flags.sort_by.empty()) {
    const auto order = items.rows.sorted_by(s.flags.sort_by);
    if (!order) return fail(order.error());
    arrange(items, *order);
  }
  if (s.columns.empty()) return {};
  const auto chosen = items.rows.columns_named(s.columns);
  if (!chosen) return fail(chosen.error());
  items.rows.choose(*chosen);
  return {};
}

table_options table_options_of(const session& s) {
  table_options options;
  options.width = s.out.where().width;
  options.headers = !s.flags.no_headers;
  // Columns that were asked for by name are neither left out nor cut.
  options.wide = s.as == format::wide || s.as == format::cols;
  options.colours = s.out.where().colours;
  return options;
}

std::string table_text(const session& s, const table& rows) {
  if (s.as == format::csv) return rows.csv(!s.flags.no_headers);
  return rows.draw(table_options_of(s));
}

void show_table(session& s, const table& rows) {
  s.out.print(table_text(s, rows));
}

namespace {

std::vector<std::string> readable_items(const listing& items) {
  std::vector<std::string> out;
  for (const auto& item : items.json) out.push_back(with_readable_fields(item));
  return out;
}

void show_yaml(session& s, const listing& items) {
  const auto objects = readable_items(items);
  if (items.bare) return s.out.print(yaml_of(objects.front()));
  s.out.print(objects.empty() ? "items: []\n" : "items:\n");
  for (const auto& item : objects) s.out.print(yaml_item_of(item));
}

}  // namespace

void show(session& s, const listing& items) {
  switch (s.as) {
    case format::json:
      if (items.bare)
        s.out.print_line(with_readable_fields(items.json.front()));
      else
        s.out.print(json_items(readable_items(items)));
      return;
    case format::jsonl:
      for (const auto& item : items.json) s.out.print_line(with_readable_fields(item));
      return;
    case format::yaml:
      show_yaml(s, items);
      return;
    case format::name:
      for (const auto& name : items.names) s.out.print_line(escaped(name));
      return;
    default:
      show_table(s, items.rows);
  }
}

void show_remarks(session& s, const listing& items) {
  s.out.flush();
  if (!items.notice.empty() && is_table(s.as)) s.out.notice(items.notice);
  if (!items.hint.empty()) s.out.hint(items.hint);
}

result<std::vector<std::size_t>> pick_named(const std::vector<std::string>& wanted,
                                            const std::vector<std::string>& plain,
                                            std::string_view kind) {
  std::vector<std::size_t> picked;
  if (wanted.empty()) {
    picked.resize(plain.size());
    std::iota(picked.begin(), picked.end(), 0);
    return picked;
  }
  for (const auto& name : wanted) {
    const auto before = picked.size();
    for (std::size_t i = 0; i < plain.size(); ++i)
      if (plain[i] == name) picked.push_back(i);
    if (picked.size() == before)
      return fail(ec::not_found,
                  fmt::format("there is no {} '{}'{}", kind, name, did_you_mean(name, plain)));
  }
  return picked;
}

}  // namespace argosy::ctl
