// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/complete/suggest.hpp"
#include "bins/argosyctl/output/json.hpp"

namespace argosy::ctl {

namespace {

void arrange(std::vector<std::string>& texts, const std::vector<std::size_t>& order) {
  if (texts.empty()) return;
  std::vector<std::string> sorted;
  sorted.reserve(texts.size());
  for (const auto index : order) sorted.push_back(std::move(texts[index]));
  texts = std::move(sorted);
}

}  // namespace

result<void> sort_listing(const session& s, listing& items) {
  if (s.flags.sort_by.empty()) return {};
  const auto order = items.rows.sorted_by(s.flags.sort_by);
  if (!order) return fail(order.error());
  items.rows.arrange(*order);
  arrange(items.names, *order);
  arrange(items.json, *order);
  return {};
}

void show_table(session& s, const table& rows) {
  table_options options;
  options.width = s.out.where().width;
  options.headers = !s.flags.no_headers;
  options.wide = s.as == format::wide;
  options.colours = s.out.where().colours;
  s.out.print(rows.draw(options));
}

void show(session& s, const listing& items, bool bare) {
  switch (s.as) {
    case format::json:
      if (bare)
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
  auto done = for_each_job(server, ids, [&](const api::JobDetails& job) {
    if (list) s.out.print(count++ == 0 ? "{\"items\":[" : ",\n");
    s.out.print(json_of(job));
    if (!list) s.out.print("\n");
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
