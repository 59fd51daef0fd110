// SPDX-License-Identifier: Apache-2.0
#include "runtime/metrics/probe.hpp"

#include <utility>

namespace argosy::metrics {

metric::metric(probe& owner, family_kind kind, const char* name, const char* help)
    : name_(name), help_(help), kind_(kind) {
  owner.metrics_.push_back(this);
}

counter::counter(probe& owner, const char* name, const char* help, label_list labels)
    : metric(owner, family_kind::counter, name, help), labels_(std::move(labels)) {}

void counter::collect(std::vector<sample>& out) const {
  out.push_back({labels_, static_cast<double>(value())});
}

gauge::gauge(probe& owner, const char* name, const char* help, label_list labels)
    : metric(owner, family_kind::gauge, name, help), labels_(std::move(labels)) {}

void gauge::collect(std::vector<sample>& out) const {
  out.push_back({labels_, static_cast<double>(value())});
}

counter_table::counter_table(probe& owner, const char* name, const char* help,
                             const char* first_label, const char* second_label)
    : metric(owner, family_kind::counter, name, help),
      first_label_(first_label),
      second_label_(second_label) {}

void counter_table::add(std::string_view first, std::string_view second) {
  const std::lock_guard lock{mutex_};
  const auto found = counts_.find(std::pair{first, second});
  if (found != counts_.end())
    ++found->second;
  else
    counts_.emplace(std::pair{std::string{first}, std::string{second}}, 1);
}

std::uint64_t counter_table::value(std::string_view first, std::string_view second) const {
  const std::lock_guard lock{mutex_};
  const auto found = counts_.find(std::pair{first, second});
  return found == counts_.end() ? 0 : found->second;
}

void counter_table::collect(std::vector<sample>& out) const {
  const std::lock_guard lock{mutex_};
  for (const auto& [values, count] : counts_)
    out.push_back({{{first_label_, values.first}, {second_label_, values.second}},
                   static_cast<double>(count)});
}

family_list probe::families() const {
  family_list out;
  for (const auto* item : metrics_) {
    auto heading = item->heading();
    if (out.empty() || out.back().name != heading.name) out.push_back(std::move(heading));
    item->collect(out.back().samples);
  }
  collect(out);
  return out;
}

figure_list probe::figures() const {
  constexpr std::string_view product = "argosy_";
  const auto own = std::string{part_} + '_';
  figure_list out;
  for (const auto& family : families()) {
    std::string_view name = family.name;
    if (name.starts_with(product)) name.remove_prefix(product.size());
    if (name.starts_with(own)) name.remove_prefix(own.size());
    for (const auto& sample : family.samples) {
      std::string full{name};
      for (const auto& label : sample.labels) full += ' ' + label.second;
      out.push_back({std::move(full), sample.value});
    }
  }
  return out;
}

}  // namespace argosy::metrics
