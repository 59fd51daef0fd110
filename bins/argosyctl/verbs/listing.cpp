// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "bins/argosyctl/client/job_list.hpp"
#include "runtime/base/suggest.hpp"
#include "bins/argosyctl/output/json.hpp"

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

result<void> sort_listing(const session& s, listing& items) {
  if (s.flags.sort_by.empty()) return {};
  const auto order = items.rows.sorted_by(s.flags.sort_by);
  if (!order) return fail(order.error());
  arrange(items, *order);
  return {};
}

std::string table_text(const session& s, const table& rows) {
  table_options options;
  options.width = s.out.where().width;
  options.headers = !s.flags.no_headers;
  options.wide = s.as == format::wide;
  options.colours = s.out.where().colours;
  return rows.draw(options);
}

void show_table(session& s, const table& rows) {
  s.out.print(table_text(s, rows));
}

void show(session& s, const listing& items) {
  switch (s.as) {
    case format::json:
      if (items.bare)
        s.out.print_line(items.json.front());
      else
        s.out.print(json_items(items.json));
      return;
    case format::jsonl:
      for (const auto& item : items.json) s.out.print_line(item);
      return;
    case format::name:
      for (const auto& name : items.names) s.out.print_line(escaped(name));
      return;
    default:
      show_table(s, items.rows);
  }
}

result<void> show_job_details(session& s, client& server, const std::vector<std::string>& ids,
                              bool bare) {
  const bool list = s.as == format::json && !bare;
  std::size_t count = 0;
  std::string text;
  auto done = for_each_job(server, ids, [&](const api::JobDetails& job) {
    text.clear();
    if (list) text = count++ == 0 ? "{\"items\":[" : ",\n";
    append_json(job, text);
    if (!list) text += '\n';
    s.out.print(text);
    return s.out.good() && !s.is_interrupted();
  });
  if (!done) return done;
  if (list) s.out.print(count == 0 ? "{\"items\":[]}\n" : "]}\n");
  return {};
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
