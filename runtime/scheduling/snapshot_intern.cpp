// SPDX-License-Identifier: Apache-2.0
// Interning of shapes: jobs that ask for the same have a shape with one number. The canonical text
// of a shape is its key.
#include <algorithm>
#include <charconv>

#include "runtime/model/served_namespaces.hpp"
#include "runtime/scheduling/fold.hpp"
#include "runtime/scheduling/snapshot.hpp"
#include "runtime/scheduling/tables.hpp"

namespace argosy::scheduling {

namespace {

/// Builds keys that differ whenever the values differ, because every text is written with its
/// length.
class key_text {
 public:
  key_text& add(std::string_view part) {
    add(static_cast<std::int64_t>(part.size()));
    text_ += part;
    return *this;
  }
  key_text& add(std::int64_t number) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    text_.append(digits, end);
    text_ += ':';
    return *this;
  }
  [[nodiscard]] const std::string& str() const { return text_; }

 private:
  std::string text_;
};

void add_taints(key_text& key, const std::vector<taint>& taints) {
  key.add(static_cast<std::int64_t>(taints.size()));
  for (const auto& spot : taints) key.add(spot.key).add(spot.value).add(spot.effect);
}

void add_labels(key_text& key, const label_list& labels) {
  key.add(static_cast<std::int64_t>(labels.size()));
  for (const auto& [name, value] : labels) key.add(name).add(value);
}

std::string terms_key(const terms_record& terms) {
  key_text key;
  add_labels(key, terms.selector);
  key.add(static_cast<std::int64_t>(terms.tolerations.size()));
  for (const auto& t : terms.tolerations)
    key.add(t.key).add(t.value).add(t.exists ? 1 : 0).add(t.effect);
  key.add(static_cast<std::int64_t>(terms.affinity.size()));
  for (const auto& term : terms.affinity) {
    key.add(static_cast<std::int64_t>(term.size()));
    for (const auto& rule : term) {
      key.add(rule.label).add(static_cast<std::int64_t>(rule.op));
      key.add(static_cast<std::int64_t>(rule.values.size()));
      for (const auto& value : rule.values) key.add(value);
    }
  }
  return key.str();
}

/// Sorts the labels. When there are two entries for one label, the later one stays.
label_list sorted_labels(label_list labels) {
  std::stable_sort(labels.begin(), labels.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  label_list unique;
  for (auto& label : labels) {
    if (!unique.empty() && unique.back().first == label.first)
      unique.back() = std::move(label);
    else
      unique.push_back(std::move(label));
  }
  return unique;
}

terms_record make_terms(const shape_row& row) {
  terms_record terms;
  terms.selector = sorted_labels(row.selector);
  terms.tolerations = row.tolerations;
  std::sort(terms.tolerations.begin(), terms.tolerations.end());
  terms.affinity = row.affinity;
  for (auto& term : terms.affinity) {
    std::stable_sort(term.begin(), term.end(), [](const auto& a, const auto& b) {
      return std::tuple(std::string_view(a.label), a.op, a.values.size()) <
             std::tuple(std::string_view(b.label), b.op, b.values.size());
    });
    for (const auto& rule : term) {
      terms.valid = terms.valid && is_valid(rule);
      terms.names_node = terms.names_node || rule.label == node_id_label;
    }
  }
  for (const auto& [label, value] : terms.selector)
    terms.names_node = terms.names_node || label == node_id_label;
  terms.tries = std::any_of(terms.tolerations.begin(), terms.tolerations.end(), [](const auto& t) {
    return t.key == model::namespaces_taint && !t.effect.empty();
  });
  return terms;
}

}  // namespace

std::uint32_t dimension_of(const tables& t, std::string_view name) {
  const auto at = std::find(t.dim_names.begin(), t.dim_names.end(), name);
  return at == t.dim_names.end() ? none : static_cast<std::uint32_t>(at - t.dim_names.begin());
}

result<void> check_amount(std::string_view what, const std::string& name, std::int64_t amount,
                          std::int64_t limit) {
  if (amount < 0)
    return fail(ec::invalid_argument, std::string(what) + ": " + name + " is below 0");
  if (amount > limit)
    return fail(ec::invalid_argument,
                std::string(what) + ": " + name + " is above " + std::to_string(limit) + " steps");
  return {};
}

result<shape_id> snapshot::intern(const shape_row& row) {
  auto& t = *tables_;
  for (const auto& [name, amount] : row.requests) {
    if (auto ok = check_amount("request", name, amount, request_limit); !ok)
      return fail(std::move(ok.error()));
  }
  const auto terms = make_terms(row);
  auto requests = row.requests;
  std::erase_if(requests, [](const auto& request) { return request.second == 0; });
  if (t.conf.pod_limits && std::none_of(requests.begin(), requests.end(), [](const auto& request) {
        return request.first == pod_resource;
      }))
    requests.emplace_back(pod_resource, 1);
  std::sort(requests.begin(), requests.end());
  key_text key;
  key.add(row.priority_class).add(static_cast<std::int64_t>(requests.size()));
  for (const auto& [name, amount] : requests) key.add(name).add(amount);
  const auto terms_text = terms_key(terms);
  key.add(terms_text);
  const auto known = t.shape_numbers.find(key.str());
  if (known != t.shape_numbers.end()) return known->second;

  shape_record shape;
  const auto [at, added] =
      t.terms_numbers.try_emplace(terms_text, static_cast<std::uint32_t>(t.terms.size()));
  if (added) t.terms.push_back(terms);
  shape.terms = at->second;
  shape.class_name = t.class_names.intern(row.priority_class);
  const auto classes = static_cast<std::uint32_t>(t.conf.classes.size());
  shape.class_index =
      shape.class_name < classes ? shape.class_name : t.class_names.find(t.conf.default_class);
  const auto number = static_cast<shape_id>(t.shapes.size());
  t.shapes.push_back(shape);
  t.shape_amounts.resize(t.shape_amounts.size() + t.dims, 0);
  for (const auto& [name, amount] : requests) {
    if (const auto dim = dimension_of(t, name); dim != none)
      t.shape_amounts[std::size_t{number} * t.dims + dim] += amount;
  }
  t.shape_numbers.emplace(key.str(), number);
  return number;
}

std::uint32_t intern_profile(tables& t, label_list labels, std::vector<taint> taints) {
  profile_record profile{sorted_labels(std::move(labels)), std::move(taints)};
  std::erase_if(profile.labels, [](const auto& label) { return label.first == node_id_label; });
  key_text key;
  add_labels(key, profile.labels);
  add_taints(key, profile.taints);
  const auto [at, added] =
      t.profile_numbers.try_emplace(key.str(), static_cast<std::uint32_t>(t.profiles.size()));
  if (added) t.profiles.push_back(std::move(profile));
  return at->second;
}

std::uint32_t intern_kind(tables& t, const profile_record& profile) {
  kind_record kind;
  const auto& conf = t.conf;
  for (const auto& spot : profile.taints) {
    if (conf.soft_taints_prefer || std::find(conf.indexed_taints.begin(), conf.indexed_taints.end(),
                                             spot.key) != conf.indexed_taints.end())
      kind.taints.push_back(spot);
  }
  std::stable_sort(kind.taints.begin(), kind.taints.end(),
                   [](const auto& a, const auto& b) { return a.key < b.key; });
  for (const auto& label : profile.labels) {
    if (std::find(conf.indexed_labels.begin(), conf.indexed_labels.end(), label.first) !=
        conf.indexed_labels.end())
      kind.labels.push_back(label);
  }
  key_text key;
  add_taints(key, kind.taints);
  add_labels(key, kind.labels);
  const auto [at, added] =
      t.kind_numbers.try_emplace(key.str(), static_cast<std::uint32_t>(t.kinds.size()));
  if (added) t.kinds.push_back(std::move(kind));
  return at->second;
}

}  // namespace argosy::scheduling
