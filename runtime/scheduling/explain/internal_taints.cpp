// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/explain/internal_taints.hpp"

#include <algorithm>

#include "runtime/model/namespace_part.hpp"
#include "runtime/model/node.hpp"
#include "runtime/model/node_trouble.hpp"
#include "runtime/model/process_plan.hpp"
#include "runtime/model/served_namespaces.hpp"
#include "runtime/scheduling/terms.hpp"

namespace argosy::scheduling {

namespace {

/// All taints of ours begin so.
constexpr std::string_view own_taints = "argosy.io/";

/// Clusters set taints with this beginning for a time: not ready, under pressure, cordoned.
constexpr std::string_view passing_taints = "node.kubernetes.io/";

/// The value in "key=value:Effect"; empty for "key:Effect".
std::string_view value_in(std::string_view taint_text) {
  const auto equals = taint_text.find('=');
  if (equals == std::string_view::npos) return {};
  const auto value = taint_text.substr(equals + 1);
  return value.substr(0, value.rfind(':'));
}

/// Whether processes need the field, rather than cannot do with it.
bool is_missing(std::string_view field) {
  return field == "podSpec.containers[0]" || field == "podSpec.containers[0].command";
}

}  // namespace

std::string text_of(const taint& spot) {
  return spot.key + (spot.value.empty() ? "" : "=" + spot.value) + ":" + spot.effect;
}

std::string text_of(const taint& spot, const std::vector<toleration>& tolerations) {
  if (spot.key != model::process_backend_taint) return text_of(spot);
  const auto at = std::ranges::find_if(tolerations, [&](const auto& each) {
    return each.key == spot.key && !each.value.empty() && each.value != model::with_containers;
  });
  return at == tolerations.end() ? text_of(spot) : text_of({spot.key, at->value, spot.effect});
}

bool is_internal(std::string_view taint_text) noexcept {
  return taint_text.starts_with(own_taints);
}

bool is_passing(const taint& spot, const std::vector<toleration>& tolerations) {
  if (spot.key == model::namespaces_taint)
    return std::ranges::none_of(tolerations, [&](const auto& each) {
      return each.key == spot.key &&
             model::fate_in(spot.value, each.value) == model::namespace_fate::unserved;
    });
  return spot.key == unschedulable_taint_key || spot.key == model::unlabelled_taint ||
         spot.key.starts_with(passing_taints);
}

bool is_of_namespace(std::string_view taint_text) noexcept {
  return taint_text.starts_with(model::namespaces_taint);
}

std::string namespaces_in(std::string_view taint_text) {
  const auto limits = model::read_taint_value(value_in(taint_text));
  auto shut = limits.closed;
  for (const auto& each : limits.tried) shut.push_back(each.name_space);
  for (auto& each : shut)
    if (const auto whose = model::whose_jobs(each); !whose.empty())
      each = std::string{model::namespace_in(each)} + " " + whose;
  const auto joined = [](const std::vector<std::string>& names) {
    std::string out;
    for (const auto& each : names) out += (out.empty() ? "" : ", ") + each;
    return out;
  };
  std::string out;
  if (!limits.served.empty()) out = "only of " + joined(limits.served);
  if (!shut.empty()) out += (out.empty() ? "" : ", and ") + ("for now none of " + joined(shut));
  return " (" + out + ")";
}

bool is_of_processes(std::string_view taint_text) noexcept {
  return taint_text.starts_with(model::process_backend_taint);
}

std::string field_in(std::string_view taint_text) {
  return std::string{value_in(taint_text)};
}

std::string not_for_processes(std::string_view field) {
  if (field.empty()) return "this pod";
  return (is_missing(field) ? "a pod without " : "") + std::string{field};
}

std::string change_for_processes(std::string_view field) {
  if (field.empty()) return {};
  return (is_missing(field) ? "name " : "do without ") + std::string{field};
}

}  // namespace argosy::scheduling
