// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/snap1/fields.hpp"

#include <array>
#include <cmath>

#include "runtime/model/quantity.hpp"

namespace argosy::scheduling::snap1 {

field_list split(std::string_view text, char at) {
  field_list parts;
  while (true) {
    const auto end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::pair<std::string_view, std::string_view>> pairs(std::string_view text) {
  std::vector<std::pair<std::string_view, std::string_view>> list;
  if (text == "-") return list;
  for (const auto part : split(text, ',')) {
    const auto equals = part.find('=');
    list.emplace_back(part.substr(0, equals), equals == std::string_view::npos
                                                  ? std::string_view{}
                                                  : part.substr(equals + 1));
  }
  return list;
}

taint read_taint(std::string_view text) {
  const auto colon = text.find(':');
  const auto body = text.substr(0, colon);
  const auto equals = body.find('=');
  taint spot;
  spot.key = body.substr(0, equals);
  if (equals != std::string_view::npos) spot.value = body.substr(equals + 1);
  if (colon != std::string_view::npos) spot.effect = text.substr(colon + 1);
  return spot;
}

toleration read_toleration(std::string_view text) {
  if (text == "*") return {"", "", true, ""};
  const auto spot = read_taint(text);
  const auto equal = text.substr(0, text.find(':')).find('=') != std::string_view::npos;
  return {spot.key, spot.value, !equal, spot.effect};
}

affinity_term read_affinity(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, affinity_operator>, 6> operators = {
      {{"In", affinity_operator::in},
       {"NotIn", affinity_operator::not_in},
       {"Exists", affinity_operator::exists},
       {"DoesNotExist", affinity_operator::does_not_exist},
       {"Gt", affinity_operator::gt},
       {"Lt", affinity_operator::lt}}};
  affinity_term term;
  if (text == "-") return term;
  for (const auto part : split(text, ';')) {
    auto& rule = term.emplace_back();
    const auto first = part.find(':');
    rule.label = part.substr(0, first);
    rule.op = affinity_operator::invalid;
    if (first == std::string_view::npos) continue;
    const auto second = part.find(':', first + 1);
    const auto name = part.substr(first + 1, second - first - 1);
    for (const auto& [word, op] : operators)
      if (word == name) rule.op = op;
    if (second == std::string_view::npos || second + 1 == part.size()) continue;
    for (const auto value : split(part.substr(second + 1), '|')) rule.values.emplace_back(value);
  }
  return term;
}

result<double> read_decimal(std::string_view text) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size() || std::isnan(value))
    return fail(ec::invalid_argument, "'" + std::string(text) + "' is not a number");
  return value;
}

result<double> read_share(std::string_view text) {
  auto value = read_decimal(text);
  if (value && (*value < 0 || std::isinf(*value)))
    return fail(ec::invalid_argument,
                "'" + std::string(text) + "' is not a finite number from 0 on");
  return value;
}

result<std::vector<std::pair<std::string, double>>> read_fractions(
    std::string_view text, result<double> (*read_one)(std::string_view)) {
  std::vector<std::pair<std::string, double>> list;
  for (const auto& [name, number] : pairs(text)) {
    const auto read = read_one(number);
    if (!read) return fail(read.error());
    list.emplace_back(name, *read);
  }
  return list;
}

result<bool> read_flag(std::string_view text) {
  if (text == "true" || text == "false") return text == "true";
  return fail(ec::invalid_argument, "'" + std::string(text) + "' is neither true nor false");
}

result<bool> read_word(std::string_view text, std::string_view word) {
  if (text == word || text == "-") return text == word;
  return fail(ec::invalid_argument,
              "'" + std::string(text) + "' is neither " + std::string(word) + " nor '-'");
}

result<std::int64_t> read_quantity(std::string_view text, std::int64_t milli_per_step,
                                   bool round_up) {
  const auto milli = model::parse_quantity(text, model::resource_unit::milli);
  if (!milli) return fail(milli.error());
  const auto rest = *milli % milli_per_step != 0;
  return *milli / milli_per_step + (round_up && rest ? 1 : 0);
}

}  // namespace argosy::scheduling::snap1
