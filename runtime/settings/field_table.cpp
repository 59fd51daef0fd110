// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/field_table.hpp"

#include <algorithm>

#include "runtime/base/suggest.hpp"
#include "runtime/base/text.hpp"

namespace argosy::settings {

namespace {

/// "minGap" of "cycle.minGap"; nothing unless the path lies directly under the prefix.
std::string_view name_below(std::string_view path, std::string_view prefix) {
  if (!path.starts_with(prefix)) return {};
  const auto name = path.substr(prefix.size());
  return name.find('.') == std::string_view::npos ? name : std::string_view{};
}

}  // namespace

std::string detail::at_path(const yaml::node& where, std::string_view path,
                            std::string_view problem) {
  return where.where().append(": ").append(path).append(": ").append(problem);
}

void field_table::section(std::string path, std::string doc) {
  fields_.push_back({std::move(path), std::move(doc), nullptr, false, false});
}

field& field_table::bound(std::string path, std::unique_ptr<binding> how, std::string doc) {
  fields_.push_back({std::move(path), std::move(doc), std::move(how), false, false});
  return fields_.back();
}

const field* field_table::find(std::string_view path) const noexcept {
  const auto found = std::find_if(fields_.begin(), fields_.end(),
                                  [&](const auto& item) { return item.path == path; });
  return found == fields_.end() ? nullptr : &*found;
}

std::vector<std::string_view> field_table::paths() const {
  std::vector<std::string_view> all;
  for (const auto& item : fields_)
    if (item.bound) all.push_back(item.path);
  return all;
}

void field_table::read(const yaml::node& mapping, problem_list& problems,
                       std::map<std::string, std::string>* origins) {
  read_below(mapping, "", problems, origins);
}

void field_table::read_below(const yaml::node& mapping, const std::string& prefix,
                             problem_list& problems, std::map<std::string, std::string>* origins) {
  for (const auto [key, value] : mapping.entries()) {
    const auto path = prefix + std::string{key.text()};
    const auto* found = find(path);
    // A path with a dot in one key is no way to reach a section's field.
    if (found == nullptr || key.text().find('.') != std::string_view::npos) {
      refuse_unknown(key, prefix, problems);
    } else if (found->bound == nullptr) {
      if (value.is_mapping())
        read_below(value, path + '.', problems, origins);
      else if (!value.is_null())
        problems.push_back(detail::at_path(value, path, "is a section; write its keys below it"));
    } else {
      found->bound->read(value, path, problems);
      if (origins != nullptr) (*origins)[path] = value.where();
    }
  }
}

void field_table::refuse_unknown(const yaml::node& key, const std::string& prefix,
                                 problem_list& problems) const {
  std::vector<std::string_view> here;
  for (const auto& item : fields_)
    if (const auto name = name_below(item.path, prefix); !name.empty()) here.push_back(name);
  auto text = key.where() + ": unknown key '" + std::string{key.text().substr(0, 60)} + "'";
  if (!prefix.empty()) text += " in " + prefix.substr(0, prefix.size() - 1);
  if (auto hint = did_you_mean(key.text(), here); !hint.empty()) {
    text += hint;
  } else {
    std::string list;
    for (const auto name : here) list.append(list.empty() ? "" : ", ").append(name);
    text += "; known are " + list;
  }
  problems.push_back(std::move(text));
}

bool field_table::set(std::string_view path, std::string_view text, const std::string& origin,
                      problem_list& problems) {
  const auto* found = find(path);
  if (found == nullptr || found->bound == nullptr) return false;
  if (found->bound->takes_raw_text()) {
    if (find_control_character(text))
      problems.push_back(origin + ": " + std::string{path} + ": holds a control character");
    else if (const auto wrong = found->bound->set_raw_text(std::string{text}))
      problems.push_back(origin + ": " + std::string{path} + ": " + *wrong);
    return true;
  }
  const auto parsed = yaml::parse(text, origin);
  problem_list own;
  if (parsed)
    found->bound->read(parsed->root(), path, own);
  else
    own.push_back(parsed.error().detail);
  // Line and column of a single value say nothing.
  const auto place = origin + ":1:1";
  for (auto& problem : own)
    problems.push_back(problem.starts_with(place) ? origin + problem.substr(place.size())
                                                  : std::move(problem));
  return true;
}

}  // namespace argosy::settings
