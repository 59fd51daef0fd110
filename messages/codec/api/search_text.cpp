// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/api/search_text.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

#include "messages/codec/api/search_fields.hpp"
#include "runtime/base/duration.hpp"
#include "runtime/base/text.hpp"

namespace argosy::codec {

namespace {

using model::job_condition;
using model::job_field;
using model::job_match;
using model::job_state;

constexpr std::size_t text_max = 16'384;
constexpr std::string_view operators = ":=<>!";

/// One alternative of a value.
struct word {
  std::string text;
  bool open_begin = false;  ///< It began with a '*' outside quotes.
  bool open_end = false;
};

struct term {
  bool negated = false;
  std::string name;
  std::string sign;  ///< ":", "=", "!=", "<", "<=", ">" or ">="
  std::vector<word> words;
};

/// Reads terms from left to right.
class term_reader {
 public:
  explicit term_reader(std::string_view text) : rest_(text) {}

  /// The next term; nothing at the end.
  result<std::optional<term>> next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n"), rest_.size()));
    if (rest_.empty()) return std::optional<term>{};
    const auto begin = rest_;
    term out;
    out.negated = take('-');
    const auto name_end =
        std::min(rest_.find_first_of(std::string{operators} + " \t\n"), rest_.size());
    out.name = rest_.substr(0, name_end);
    rest_.remove_prefix(name_end);
    out.sign = take_sign();
    if (out.name.empty() || out.sign.empty())
      return fail(ec::invalid_argument,
                  "'" + shown(begin.substr(0, begin.find(' '))) +
                      "' is no condition; write FIELD:VALUE, for example state:failed or age<2h");
    do {
      auto read = take_word();
      if (!read) return fail(read.error());
      out.words.push_back(std::move(*read));
    } while (take(','));
    return std::optional{std::move(out)};
  }

 private:
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string take_sign() {
    for (const std::string_view sign : {"!=", "<=", ">=", ":", "=", "<", ">"})
      if (rest_.starts_with(sign)) {
        rest_.remove_prefix(sign.size());
        return std::string{sign};
      }
    return {};
  }

  result<word> take_word() {
    word out;
    out.open_begin = take('*');
    while (!rest_.empty() &&
           std::string_view{" \t\n,"}.find(rest_.front()) == std::string_view::npos) {
      if (take('"')) {
        const auto end = rest_.find('"');
        if (end == std::string_view::npos)
          return fail(ec::invalid_argument,
                      "the quotation that begins \"" + shown(rest_) + " has no end; add a '\"'");
        out.text += rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
        continue;
      }
      out.open_end = rest_.front() == '*';
      if (!out.open_end) out.text += rest_.front();
      rest_.remove_prefix(1);
      const bool ends =
          rest_.empty() || std::string_view{" \t\n,"}.find(rest_.front()) != std::string_view::npos;
      if (out.open_end && !ends)
        return fail(ec::invalid_argument,
                    "a '*' stands at the beginning or the end of a value; put \"*\" into quotation "
                    "marks if the sign itself is meant");
    }
    return out;
  }

  std::string_view rest_;
};

/// The field of a term, and the key that stands in its name behind a dot.
struct named_field {
  search_field field;
  std::string key;
  bool is_age = false;
};

result<named_field> field_of(const std::string& name) {
  if (lower_case(name) == "age") {
    auto submitted = find_search_field("submitted");
    return named_field{*submitted, {}, true};
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> short_names{
      {{"id", "jobId"},
       {"job", "jobId"},
       {"set", "jobSet"},
       {"user", "owner"},
       {"class", "priorityClass"},
       {"exit", "exitCode"},
       {"storage", "ephemeralStorage"}}};
  if (name.starts_with('@')) {
    auto field = find_search_field("annotation");
    return named_field{*field, name.substr(1)};
  }
  const auto dot = name.find('.');
  auto plain = name.substr(0, dot);
  for (const auto& [known, meant] : short_names)
    if (lower_case(plain) == known) plain = meant;
  auto field = find_search_field(plain);
  if (!field) return fail(field.error());
  auto key = dot == std::string::npos ? std::string{} : name.substr(dot + 1);
  const bool has_key = field->field == job_field::annotation || field->field == job_field::label ||
                       (field->field == job_field::resource && field->resource.empty());
  if (has_key == key.empty())
    return fail(ec::invalid_argument,
                has_key ? "'" + shown(name) + "' says not which; write " + plain + ".NAME:VALUE"
                        : "'" + shown(name) + "': " + plain + " has no part '" + shown(key) + "'");
  return named_field{*field, std::move(key)};
}

job_match match_of(const std::string& sign) {
  if (sign == "<") return job_match::less;
  if (sign == "<=") return job_match::at_most;
  if (sign == ">") return job_match::greater;
  return sign == ">=" ? job_match::at_least : job_match::any_of;
}

/// What is older than two hours was submitted before then.
job_match turned(job_match match) {
  switch (match) {
    case job_match::less:
      return job_match::greater;
    case job_match::at_most:
      return job_match::at_least;
    case job_match::greater:
      return job_match::less;
    case job_match::at_least:
      return job_match::at_most;
    default:
      return match;
  }
}

/// Fills in "active" and "ended".
void add_states(const std::string& name, std::vector<std::string>& to) {
  const auto wanted = lower_case(name);
  const bool active = wanted == "active";
  if (!active && wanted != "ended") {
    to.push_back(name);
    return;
  }
  for (auto i = 0; i <= static_cast<int>(job_state::rejected); ++i)
    if (const auto state = static_cast<job_state>(i); model::is_terminal(state) != active)
      to.emplace_back(model::to_string(state));
}

/// A time that is a span back from now, or a moment.
result<job_condition> on_time(const named_field& of, const term& from,
                              const search_context& context) {
  const auto match = match_of(from.sign);
  const auto& text = from.words.front().text;
  const auto span = parse_duration(text);
  if (!span && of.is_age) return fail(span.error());
  if (!span) return make_condition(of.field, match, {}, {text});
  job_condition out;
  out.field = of.field.field;
  out.match = turned(match);
  out.numbers = {context.now_ns - std::chrono::nanoseconds{*span}.count()};
  return out;
}

result<job_condition> with_stars(const named_field& of, const word& value) {
  if (value.open_begin && value.text.empty())
    return make_condition(of.field, job_match::exists, of.key, {});
  if (value.open_begin && value.open_end)
    return make_condition(of.field, job_match::contains, of.key, {value.text});
  if (value.open_end) return make_condition(of.field, job_match::starts_with, of.key, {value.text});
  return fail(ec::invalid_argument, "'*" + shown(value.text) +
                                        "': what a value ends with cannot be asked for; write '*" +
                                        shown(value.text) + "*' for values that contain it");
}

result<job_condition> condition_of(const term& from, const search_context& context) {
  const auto of = field_of(from.name);
  if (!of) return fail(of.error());
  const auto match = match_of(from.sign);
  const bool is_time =
      of->field.field == job_field::submitted || of->field.field == job_field::changed;
  if (is_time && from.words.size() == 1) return on_time(*of, from, context);
  const auto is_open = [](const word& each) { return each.open_begin || each.open_end; };
  if (std::any_of(from.words.begin(), from.words.end(), is_open)) {
    if (from.words.size() > 1 || match != job_match::any_of)
      return fail(ec::invalid_argument,
                  shown(from.name) + ": a value with '*' stands alone, behind ':'");
    return with_stars(*of, from.words.front());
  }
  std::vector<std::string> values;
  for (const auto& each : from.words) {
    if (of->field.field == job_field::state)
      add_states(each.text, values);
    else if (of->field.field == job_field::owner && each.text == "me")
      values.push_back(context.caller);
    else
      values.push_back(each.text);
  }
  return make_condition(of->field, match, of->key, values);
}

}  // namespace

result<std::vector<job_condition>> parse_search_text(std::string_view text,
                                                     const search_context& context) {
  if (text.size() > text_max)
    return fail(ec::invalid_argument, "the conditions have " + std::to_string(text.size()) +
                                          " bytes; at most " + std::to_string(text_max) +
                                          " are read");
  std::vector<job_condition> out;
  term_reader reader{text};
  while (true) {
    auto read = reader.next();
    if (!read) return fail(read.error());
    if (!*read) return out;
    auto condition = condition_of(**read, context);
    if (!condition) return fail(condition.error());
    condition->negated = (*read)->negated != ((*read)->sign == "!=");
    out.push_back(std::move(*condition));
  }
}

}  // namespace argosy::codec
