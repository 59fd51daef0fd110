// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/value.hpp"

#include <charconv>
#include <cmath>
#include <limits>

#include "runtime/base/suggest.hpp"
#include "runtime/model/quantity.hpp"
#include "runtime/settings/units.hpp"

namespace argosy::settings {

namespace {

using std::chrono::milliseconds;

std::string quoted(std::string_view text) {
  constexpr std::size_t shown_max = 60;
  return "'" + std::string{text.substr(0, shown_max)} + (text.size() > shown_max ? "…'" : "'");
}

template <class T>
complaint read_integer(const yaml::node& from, T& to) {
  const auto text = from.text();
  T value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (from.is_scalar() && from.plain() && code == std::errc::result_out_of_range)
    return quoted(text) + " is out of range, " + std::to_string(std::numeric_limits<T>::min()) +
           " to " + std::to_string(std::numeric_limits<T>::max());
  if (!from.is_scalar() || !from.plain() || code != std::errc{} || end != text.data() + text.size())
    return (from.is_scalar() ? quoted(text) + " is not a whole number"
                             : std::string{"must be a whole number"});
  to = value;
  return std::nullopt;
}

complaint bad_duration(std::string_view text) {
  return quoted(text) + " is not a duration; write for example 20ms, 1s, 1h30m or 7d";
}

/// One "30m" at the front of the text, which it is taken off; nothing if there is none.
std::optional<double> take_duration_part(std::string_view& text) {
  double number = 0;
  const auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (code != std::errc{} || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  const auto letters = text.substr(0, text.find_first_of("0123456789."));
  for (const auto& [name, amount] : time_units) {
    if (letters != name) continue;
    text.remove_prefix(letters.size());
    return number * static_cast<double>(amount);
  }
  return std::nullopt;
}

/// Calls `take(name, value node)` for each entry; it returns a complaint.
template <class Take>
complaint read_entries(const yaml::node& from, Take take) {
  if (from.is_null()) return std::nullopt;
  if (!from.is_mapping()) return "must be a mapping of names to values";
  for (const auto [key, value] : from.entries()) {
    if (auto wrong = take(std::string{key.text()}, value))
      return quoted(key.text()) + ": " + *wrong;
  }
  return std::nullopt;
}

template <class Value>
complaint read_map(const yaml::node& from, std::vector<std::pair<std::string, Value>>& to) {
  std::vector<std::pair<std::string, Value>> values;
  auto wrong = read_entries(from, [&](std::string name, const yaml::node& node) -> complaint {
    Value value{};
    if (auto bad = read_value(node, value)) return bad;
    values.emplace_back(std::move(name), std::move(value));
    return std::nullopt;
  });
  if (!wrong) to = std::move(values);
  return wrong;
}

}  // namespace

complaint read_value(const yaml::node& from, bool& to) {
  const auto text = from.text();
  const bool yes = text == "true";
  if (!from.is_scalar() || !from.plain() || (!yes && text != "false"))
    return (from.is_scalar() ? quoted(text) + " is not" : std::string{"must be"}) +
           " true or false";
  to = yes;
  return std::nullopt;
}

complaint read_value(const yaml::node& from, std::uint32_t& to) {
  return read_integer(from, to);
}

complaint read_value(const yaml::node& from, std::int32_t& to) {
  return read_integer(from, to);
}

complaint read_value(const yaml::node& from, std::int64_t& to) {
  return read_integer(from, to);
}

complaint read_value(const yaml::node& from, std::uint64_t& to) {
  return read_integer(from, to);
}

complaint read_value(const yaml::node& from, double& to) {
  const auto text = from.text();
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (!from.is_scalar()) return "must be a number";
  if (!from.plain() || code != std::errc{} || end != text.data() + text.size() ||
      !std::isfinite(value))
    return quoted(text) + " is not a number";
  to = value;
  return std::nullopt;
}

complaint read_value(const yaml::node& from, std::string& to) {
  if (!from.is_scalar()) return "must be a text";
  to = from.is_null() ? std::string_view{} : from.text();
  return std::nullopt;
}

complaint read_value(const yaml::node& from, milliseconds& to) {
  if (!from.is_scalar()) return "must be a duration such as 1s or 20ms";
  auto text = from.text();
  if (text == "0") {
    to = milliseconds{0};
    return std::nullopt;
  }
  double total = 0;
  do {
    const auto part = take_duration_part(text);
    if (!part) return bad_duration(from.text());
    total += *part;
  } while (!text.empty());
  constexpr double hundred_years = 100.0 * 366 * 86'400'000;
  if (total > hundred_years) return quoted(from.text()) + " is longer than 100 years";
  const auto whole = static_cast<std::int64_t>(std::llround(total));
  if (std::abs(total - static_cast<double>(whole)) > 1e-6)
    return quoted(from.text()) + " is not a whole number of milliseconds";
  to = milliseconds{whole};
  return std::nullopt;
}

complaint read_value(const yaml::node& from, std::chrono::nanoseconds& to) {
  milliseconds value{};
  auto wrong = read_value(from, value);
  if (!wrong) to = value;
  return wrong;
}

complaint read_value(const yaml::node& from, byte_size& to) {
  if (!from.is_scalar()) return "must be a size such as 512KiB or 8MB";
  const auto text = from.text();
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  auto suffix = text.substr(static_cast<std::size_t>(end - text.data()));
  if (suffix.ends_with('B')) suffix.remove_suffix(1);
  std::uint64_t factor = suffix.empty() ? 1 : 0;
  for (const auto* units : {&binary_units, &decimal_units})
    for (const auto& [name, amount] : *units)
      if (suffix == name || (suffix == "k" && name == "K"))
        factor = static_cast<std::uint64_t>(amount);
  if (code != std::errc{} || factor == 0)
    return quoted(text) + " is not a size; write for example 512KiB, 8MB or 4Gi";
  if (number > std::numeric_limits<std::int64_t>::max() / factor)
    return quoted(text) + " is too large";
  to.bytes = number * factor;
  return std::nullopt;
}

complaint read_value(const yaml::node& from, std::vector<std::string>& to) {
  if (from.is_null()) {
    to.clear();
    return std::nullopt;
  }
  if (!from.is_sequence()) return "must be a list, for example [a, b]";
  std::vector<std::string> values;
  for (const auto item : from.items()) {
    if (!item.is_scalar()) return "must be a list of texts";
    values.emplace_back(item.text());
  }
  to = std::move(values);
  return std::nullopt;
}

complaint read_value(const yaml::node& from, pattern& to) {
  std::string text;
  if (auto wrong = read_value(from, text)) return wrong;
  auto made = pattern::make(text);
  if (!made) return "must be a regular expression of RE2: " + made.error().detail;
  to = std::move(*made);
  return std::nullopt;
}

complaint read_value(const yaml::node& from, std::vector<pattern>& to) {
  std::vector<std::string> texts;
  if (auto wrong = read_value(from, texts)) return wrong;
  std::vector<pattern> made;
  for (const auto& text : texts) {
    auto one = pattern::make(text);
    if (!one)
      return "has '" + text + "', which must be a regular expression of RE2: " + one.error().detail;
    made.push_back(std::move(*one));
  }
  to = std::move(made);
  return std::nullopt;
}

complaint read_value(const yaml::node& from, id_list& to) {
  id_list values;
  if (!from.is_null() && !from.is_sequence()) return "must be a list, for example [1000, 1001]";
  if (from.is_sequence())
    for (const auto item : from.items())
      if (auto wrong = read_integer(item, values.emplace_back())) return wrong;
  to = std::move(values);
  return std::nullopt;
}

complaint read_value(const yaml::node& from, amount_list& to) {
  amount_list values;
  auto wrong = read_entries(from, [&](std::string name, const yaml::node& node) -> complaint {
    if (!node.is_scalar()) return "must be an amount such as 500m or 1Gi";
    auto amount = model::parse_quantity(node.text(), model::unit_of(name));
    if (!amount) return amount.error().detail;
    values.emplace_back(std::move(name), *amount);
    return std::nullopt;
  });
  if (!wrong) to = std::move(values);
  return wrong;
}

complaint read_value(const yaml::node& from, label_list& to) {
  return read_map(from, to);
}

complaint read_value(const yaml::node& from, number_list& to) {
  return read_map(from, to);
}

complaint read_value(const yaml::node& from, duration_list& to) {
  return read_map(from, to);
}

complaint read_value(const yaml::node& from, word_lists& to) {
  return read_map(from, to);
}

complaint read_name(const yaml::node& from, std::span<const std::string_view> names,
                    std::size_t& index) {
  const auto text = from.text();
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (from.is_scalar() && names[i] == text) {
      index = i;
      return std::nullopt;
    }
    list.append(i == 0 ? "" : ", ").append(names[i]);
  }
  return (from.is_scalar() ? quoted(text) + " is none of " : "must be one of ") + list +
         did_you_mean(text, std::vector<std::string_view>{names.begin(), names.end()});
}

}  // namespace argosy::settings
