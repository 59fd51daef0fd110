// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/retry/retry_shape.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/model/affinity.hpp"

namespace argosy::ledger {

namespace {

constexpr const char* memory = "memory";
constexpr std::int64_t memory_max = std::int64_t{1} << 60;

void request(model::resource_list& requests, std::int64_t bytes) {
  const auto at = std::ranges::lower_bound(
      requests, memory, {}, [](const auto& item) { return std::string_view{item.first}; });
  if (at != requests.end() && at->first == memory)
    at->second = bytes;
  else
    requests.emplace(at, memory, bytes);
}

void avoid(std::vector<model::affinity_rule>& term, const std::string& node) {
  using op = model::affinity_rule::op;
  const auto known = std::ranges::find_if(term, [](const model::affinity_rule& rule) {
    return rule.key == avoided_node_label && rule.operation == op::not_in;
  });
  auto& rule = known != term.end() ? *known : term.emplace_back(avoided_node_label, op::not_in);
  auto& values = rule.values;
  if (std::ranges::find(values, node) == values.end()) values.push_back(node);
}

/// The clusters that in_clusters() was given; null for other terms.
const std::vector<std::string>* clusters_in(const model::affinity_terms& terms) {
  if (terms.size() != 1 || terms[0].size() != 1) return nullptr;
  const auto& rule = terms[0][0];
  const bool names =
      rule.key == model::cluster_label && rule.operation == model::affinity_rule::op::in;
  return names ? &rule.values : nullptr;
}

}  // namespace

std::int64_t more_memory(std::int64_t before, const model::memory_bump& bump) {
  if (bump.bytes) return before > memory_max - *bump.bytes ? memory_max : before + *bump.bytes;
  const auto grown = std::ceil(static_cast<double>(before) * bump.factor.value_or(1));
  return grown >= static_cast<double>(memory_max) ? memory_max : static_cast<std::int64_t>(grown);
}

std::shared_ptr<const model::job_shape> shape_after(
    const std::shared_ptr<const model::job_shape>& shape, const model::run_retried& retry,
    const model::node_name& node) {
  if (!retry.avoid_node && retry.memory <= 0) return shape;
  auto out = std::make_shared<model::job_shape>(*shape);
  if (retry.memory > 0) request(out->requests, retry.memory);
  if (retry.avoid_node) {
    // Terms are alternatives, so that each of them has to leave the node out.
    if (out->affinity.empty()) out->affinity.emplace_back();
    for (auto& term : out->affinity) avoid(term, node);
  }
  return out;
}

std::shared_ptr<const model::job_shape> shape_at(const model::job_shape& shape,
                                                 model::volume_place place) {
  auto out = std::make_shared<model::job_shape>(shape);
  std::erase_if(out->volumes, [&](const auto& each) { return each.cluster == place.cluster; });
  out->volumes.push_back(std::move(place));
  return out;
}

model::affinity_terms in_clusters(const std::vector<model::cluster_name>& clusters) {
  return {
      {{model::cluster_label, model::affinity_rule::op::in, {clusters.begin(), clusters.end()}}}};
}

bool names_clusters(const model::affinity_terms& reach) {
  return clusters_in(reach) != nullptr;
}

bool is_shut_out(const model::job_shape& shape, const model::affinity_terms& reach) {
  const auto* names = clusters_in(reach);
  return names != nullptr && std::ranges::all_of(*names, [&](const std::string& cluster) {
           return std::ranges::any_of(shape.volumes, [&](const model::volume_place& place) {
             const auto* others = clusters_in(place.nodes);
             return place.cluster == cluster && others != nullptr &&
                    std::ranges::find(*others, cluster) == others->end();
           });
         });
}

}  // namespace argosy::ledger
