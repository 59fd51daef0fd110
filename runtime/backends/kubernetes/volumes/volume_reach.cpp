// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/volumes/volume_reach.hpp"

#include <algorithm>
#include <utility>

#include "runtime/backends/kubernetes/object.hpp"
#include "runtime/model/affinity.hpp"
#include "runtime/model/agent_run.hpp"
#include "runtime/model/queue.hpp"

namespace argosy::backends {

namespace {

using object::json;
using op = model::affinity_rule::op;

std::optional<model::affinity_rule> read_rule(const json& expression) {
  const auto operation = model::operation_of(object::text(expression, "operator"));
  if (!operation) return std::nullopt;
  model::affinity_rule out{object::text(expression, "key"), *operation, {}};
  for (const auto& value : object::part(expression, "values"))
    if (value.is_string()) out.values.push_back(value.get<std::string>());
  return out;
}

bool is_told(const model::affinity_terms& terms, const node_book& nodes) {
  return std::ranges::all_of(terms, [&](const auto& term) {
    return std::ranges::all_of(term, [&](const auto& rule) { return nodes.tells(rule.key); });
  });
}

bool reaches(const model::affinity_terms& terms, const std::string& node, const node_book& nodes) {
  return model::matches(terms, [&](const std::string& key) { return nodes.find(node, key); });
}

/// The terms in labels that the control plane is told; the names of hosts say it where the labels
/// do not. Empty if they would be too many.
model::affinity_terms sayable(model::affinity_terms terms, const node_book& nodes) {
  if (is_told(terms, nodes) && model::is_short(terms)) return terms;
  model::affinity_rule hosts{hostname_label, op::in, {}};
  for (const auto& node : nodes.names())
    if (const auto* host = nodes.find(node, hostname_label);
        host != nullptr && reaches(terms, node, nodes))
      hosts.values.push_back(*host);
  model::affinity_terms out{{std::move(hosts)}};
  if (!model::is_short(out)) out.clear();
  return out;
}

}  // namespace

std::vector<std::string> claims_of(const json& pod) {
  std::vector<std::string> out;
  for (const auto& volume : object::part(pod, "spec", "volumes")) {
    auto claim = object::text(object::part(volume, "persistentVolumeClaim"), "claimName");
    // Others are no names of objects, and the API server refuses their pods.
    if (model::validate_name(claim, "claim") && std::ranges::find(out, claim) == out.end())
      out.push_back(std::move(claim));
  }
  return out;
}

std::string volume_of(const json& claim) {
  return object::text(object::part(claim, "spec"), "volumeName");
}

std::optional<model::affinity_terms> affinity_of_volume(const json& volume) {
  model::affinity_terms out;
  const auto& required = object::part(object::part(volume, "spec", "nodeAffinity"), "required");
  for (const auto& term : object::part(required, "nodeSelectorTerms")) {
    if (!object::part(term, "matchFields").empty()) return std::nullopt;
    auto& rules = out.emplace_back();
    for (const auto& expression : object::part(term, "matchExpressions")) {
      auto rule = read_rule(expression);
      if (!rule) return std::nullopt;
      rules.push_back(std::move(*rule));
    }
    // Kubernetes lets a term that asks for nothing match no node.
    if (rules.empty()) out.pop_back();
  }
  return out;
}

std::optional<refusal> judge_reach(const std::vector<bound_claim>& claims, const std::string& node,
                                   const node_book& nodes) {
  std::string why;
  model::affinity_terms all;
  bool fits = true;
  for (const auto& each : claims) {
    if (each.nodes.empty()) continue;
    why += (why.empty() ? "claim '" : ", and claim '") + each.claim + "' is bound to volume '" +
           each.volume + "', which only nodes with " + model::text_of(each.nodes) + " reach";
    all = model::both(all, each.nodes);
    fits = fits && reaches(each.nodes, node, nodes);
  }
  if (fits) return std::nullopt;
  refusal out{refusal_kind::here, model::reason_refused_here, std::move(why)};
  out.reach = sayable(std::move(all), nodes);
  return out;
}

}  // namespace argosy::backends
