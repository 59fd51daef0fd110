// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/api/search_fields.hpp"

#include <absl/time/time.h>

#include <algorithm>
#include <array>
#include <optional>

#include "runtime/base/suggest.hpp"
#include "runtime/base/text.hpp"
#include "runtime/base/whole_number.hpp"
#include "runtime/model/quantity.hpp"

namespace argosy::codec {

namespace {

using model::job_condition;
using model::job_field;
using model::job_match;
using model::job_state;

constexpr std::size_t values_max = 1'000;

constexpr std::array fields{
    search_field{"jobId", job_field::id},
    search_field{"queue", job_field::queue},
    search_field{"jobSet", job_field::job_set},
    search_field{"owner", job_field::owner},
    search_field{"namespace", job_field::name_space},
    search_field{"priorityClass", job_field::priority_class},
    search_field{"cluster", job_field::cluster},
    search_field{"node", job_field::node},
    search_field{"pool", job_field::pool},
    search_field{"gang", job_field::gang},
    search_field{"name", job_field::name},
    search_field{"reason", job_field::reason},
    search_field{"annotation", job_field::annotation},
    search_field{"label", job_field::label},
    search_field{"state", job_field::state},
    search_field{"priority", job_field::priority},
    search_field{"submitted", job_field::submitted},
    search_field{"changed", job_field::changed},
    search_field{"lastTransitionTime", job_field::changed},
    search_field{"exitCode", job_field::exit_code},
    search_field{"resource", job_field::resource},
    search_field{"cpu", job_field::resource, "cpu"},
    search_field{"memory", job_field::resource, "memory"},
    search_field{"ephemeralStorage", job_field::resource, "ephemeral-storage"},
    search_field{"gpu", job_field::resource, "nvidia.com/gpu"},
};

struct match_word {
  std::string_view word;
  job_match match;
};

constexpr std::array matches{
    match_word{"exact", job_match::any_of},
    match_word{"anyOf", job_match::any_of},
    match_word{"startsWith", job_match::starts_with},
    match_word{"contains", job_match::contains},
    match_word{"exists", job_match::exists},
    match_word{"greaterThan", job_match::greater},
    match_word{"lessThan", job_match::less},
    match_word{"greaterThanOrEqualTo", job_match::at_least},
    match_word{"lessThanOrEqualTo", job_match::at_most},
};

constexpr std::array<std::pair<std::string_view, job_state>, 9> states{{
    {"queued", job_state::queued},
    {"leased", job_state::leased},
    {"pending", job_state::pending},
    {"running", job_state::running},
    {"succeeded", job_state::succeeded},
    {"failed", job_state::failed},
    {"preempted", job_state::preempted},
    {"cancelled", job_state::cancelled},
    {"rejected", job_state::rejected},
}};

/// Without case and the signs between words.
std::string plain(std::string_view name) {
  auto out = lower_case(name);
  out.erase(std::remove_if(out.begin(), out.end(), [](char c) { return c == '-' || c == '_'; }),
            out.end());
  return out;
}

/// The names of a table in one sentence's list.
template <class Table, class Name>
std::string listed(const Table& table, Name name) {
  std::string out;
  for (const auto& each : table) {
    if (!out.empty()) out += ", ";
    out += name(each);
  }
  return out;
}

bool has_match(job_field field, job_match match) {
  switch (match) {
    case job_match::any_of:
      return true;
    case job_match::starts_with:
    case job_match::contains:
      return !model::is_number(field) && field != job_field::state;
    case job_match::exists:
      return field != job_field::state && field != job_field::id;
    default:
      return model::is_number(field);
  }
}

result<std::int64_t> number_of(const search_field& field, std::string_view key,
                               const std::string& text) {
  switch (field.field) {
    case job_field::submitted:
    case job_field::changed:
      return parse_search_time(text);
    case job_field::resource:
      return model::parse_quantity(text, model::unit_of(key));
    default:
      if (const auto number = whole_number<std::int64_t>(text)) return *number;
      return fail(ec::invalid_argument, "'" + shown(text) + "' is not a whole number");
  }
}

/// The sentence names the field, which the reader of a value does not know.
error of_field(const search_field& field, const error& why) {
  return {why.code, std::string{field.name} + ": " + why.detail};
}

}  // namespace

result<search_field> find_search_field(std::string_view name) {
  // Submit files and events have the key of Armada.
  const auto wanted = plain(name) == "jobsetid" ? std::string{"jobset"} : plain(name);
  for (const auto& each : fields)
    if (plain(each.name) == wanted) return each;
  std::vector<std::string_view> names;
  for (const auto& each : fields) names.push_back(each.name);
  return fail(ec::invalid_argument, "jobs have no field '" + shown(name) + "'" +
                                        did_you_mean(name, names) + " (the fields are " +
                                        listed(fields, [](const auto& one) { return one.name; }) +
                                        ")");
}

result<job_match> find_search_match(std::string_view word, const search_field& field) {
  const auto wanted = plain(word.empty() ? "exact" : word);
  for (const auto& each : matches) {
    if (plain(each.word) != wanted) continue;
    if (has_match(field.field, each.match)) return each.match;
    return fail(ec::invalid_argument, std::string{field.name} + " does not have the match '" +
                                          std::string{each.word} + "'");
  }
  return fail(ec::invalid_argument, "there is no match '" + shown(word) + "'; the matches are " +
                                        listed(matches, [](const auto& one) { return one.word; }));
}

result<job_condition> make_condition(const search_field& field, job_match match, std::string key,
                                     const std::vector<std::string>& values) {
  const std::string name{field.name};
  if (!has_match(field.field, match))
    return fail(ec::invalid_argument, name + " cannot be compared in this way");
  job_condition out;
  out.field = field.field;
  out.match = match;
  out.key = field.resource.empty() ? std::move(key) : std::string{field.resource};
  const bool needs_key = field.field == job_field::annotation || field.field == job_field::label ||
                         field.field == job_field::resource;
  if (needs_key && out.key.empty())
    return fail(ec::invalid_argument, "say which " + name + " is meant");
  if (!needs_key) out.key.clear();
  const bool needs_none = match == job_match::exists;
  const bool may_be_many = match == job_match::any_of;
  if (values.empty() != needs_none || (values.size() > 1 && !may_be_many) ||
      values.size() > values_max)
    return fail(ec::invalid_argument,
                name + " is compared with " +
                    (needs_none    ? "no value"
                     : may_be_many ? "1 to " + std::to_string(values_max) + " values"
                                   : "one value") +
                    ", not with " + std::to_string(values.size()));
  for (const auto& value : values) {
    if (field.field == job_field::state) {
      const auto state = parse_job_state(value);
      if (!state) return fail(state.error());
      out.states.push_back(*state);
    } else if (model::is_number(field.field)) {
      const auto number = number_of(field, out.key, value);
      if (!number) return fail(of_field(field, number.error()));
      out.numbers.push_back(*number);
    } else {
      out.texts.push_back(field.field == job_field::id ? lower_case(value) : value);
    }
  }
  return out;
}

result<std::int64_t> parse_search_time(std::string_view text) {
  const absl::string_view given{text.data(), text.size()};
  absl::Time when;
  std::string why;
  for (const std::string_view form :
       {std::string_view{absl::RFC3339_full}, std::string_view{"%Y-%m-%dT%H:%M%Ez"},
        std::string_view{"%Y-%m-%d"}})
    if (absl::ParseTime({form.data(), form.size()}, given, &when, &why))
      return absl::ToUnixNanos(when);
  return fail(ec::invalid_argument,
              "'" + shown(text) + "' is not a time; write 2026-11-24T15:04:05Z or 2026-11-24");
}

result<job_state> parse_job_state(std::string_view name) {
  const auto wanted = lower_case(name);
  for (const auto& [known, state] : states)
    if (known == wanted) return state;
  return fail(ec::invalid_argument, "no job is ever in state '" + shown(name) +
                                        "'; the states are " +
                                        listed(states, [](const auto& one) { return one.first; }));
}

}  // namespace argosy::codec
