// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/affinity.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/base/whole_number.hpp"

namespace argosy::model {

namespace {

using op = affinity_rule::op;

constexpr std::size_t alternatives_max = 64;

std::string joined(const std::vector<std::string>& values) {
  std::string out;
  for (const auto& each : values) out += (out.empty() ? "" : ", ") + each;
  return out;
}

std::string text_of(const affinity_rule& rule) {
  switch (rule.operation) {
    case op::in:
      return rule.key + " in (" + joined(rule.values) + ")";
    case op::not_in:
      return rule.key + " not in (" + joined(rule.values) + ")";
    case op::exists:
      return rule.key;
    case op::does_not_exist:
      return "no " + rule.key;
    case op::gt:
      return rule.key + " > " + joined(rule.values);
    case op::lt:
      break;
  }
  return rule.key + " < " + joined(rule.values);
}

bool holds(const affinity_rule& rule, const std::string* have) {
  const bool listed = have != nullptr && std::ranges::find(rule.values, *have) != rule.values.end();
  switch (rule.operation) {
    case op::in:
      return listed;
    case op::not_in:
      return !listed;
    case op::exists:
      return have != nullptr;
    case op::does_not_exist:
      return have == nullptr;
    default:
      break;
  }
  if (have == nullptr || rule.values.size() != 1) return false;
  const auto value = whole_number<std::int64_t>(*have);
  const auto bound = whole_number<std::int64_t>(rule.values.front());
  if (!value || !bound) return false;
  return rule.operation == op::gt ? *value > *bound : *value < *bound;
}

}  // namespace

std::optional<op> operation_of(std::string_view word) noexcept {
  static constexpr std::array<std::pair<std::string_view, op>, 6> operations{
      {{"In", op::in},
       {"NotIn", op::not_in},
       {"Exists", op::exists},
       {"DoesNotExist", op::does_not_exist},
       {"Gt", op::gt},
       {"Lt", op::lt}}};
  for (const auto& [name, operation] : operations)
    if (name == word) return operation;
  return std::nullopt;
}

bool is_short(const affinity_terms& terms) noexcept {
  std::size_t bytes = 0;
  for (const auto& term : terms)
    for (const auto& rule : term) {
      bytes += 8 + rule.key.size();
      for (const auto& value : rule.values) bytes += 4 + value.size();
    }
  return terms.size() <= reach_terms_max && bytes <= reach_bytes_max;
}

bool matches(const affinity_terms& terms, const label_reader& label) {
  const auto is_true = [&](const std::vector<affinity_rule>& term) {
    return std::ranges::all_of(term,
                               [&](const auto& rule) { return holds(rule, label(rule.key)); });
  };
  return terms.empty() || std::ranges::any_of(terms, is_true);
}

affinity_terms both(const affinity_terms& a, const affinity_terms& b) {
  if (a.empty() || b.empty()) return a.empty() ? b : a;
  affinity_terms out;
  for (const auto& left : a)
    for (const auto& right : b) {
      auto& term = out.emplace_back(left);
      for (const auto& rule : right)
        if (std::ranges::find(term, rule) == term.end()) term.push_back(rule);
    }
  return out;
}

affinity_terms affinity_of(const job_shape& shape) {
  auto out = shape.affinity;
  for (const auto& place : shape.volumes) {
    auto here = place.nodes;
    // It says nothing of other clusters.
    here.push_back(outside_of(place.cluster).front());
    if (std::max<std::size_t>(out.size(), 1) * here.size() > alternatives_max) continue;
    out = both(out, here);
  }
  return out;
}

affinity_terms outside_of(const model::cluster_name& cluster) {
  return {{{cluster_label, op::not_in, {cluster}}}};
}

bool is_outside(const affinity_terms& terms) noexcept {
  return terms.size() == 1 && terms[0].size() == 1 && terms[0][0].key == cluster_label &&
         terms[0][0].operation == op::not_in;
}

std::string text_of(const affinity_terms& terms) {
  std::string out;
  for (const auto& term : terms) {
    std::string one;
    for (const auto& rule : term) one += (one.empty() ? "" : " and ") + text_of(rule);
    out += (out.empty() ? "" : ", or ") + one;
  }
  return out;
}

}  // namespace argosy::model
