// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/submit/pod_shape.hpp"

#include <algorithm>
#include <vector>

#include "messages/codec/submit/pod_check.hpp"
#include "messages/codec/submit/pod_fields.hpp"
#include "messages/codec/wire.hpp"
#include "runtime/model/affinity.hpp"
#include "runtime/model/namespace_part.hpp"
#include "runtime/model/node.hpp"
#include "runtime/model/pod_requests.hpp"
#include "runtime/model/process_plan.hpp"

namespace argosy::codec {

namespace {

void add_toleration(core::PodSpec& pod, const model::toleration& toleration) {
  auto& entry = *pod.add_tolerations();
  entry.set_key(toleration.key);
  entry.set_operator_(toleration.exists ? "Exists" : "Equal");
  if (!toleration.value.empty()) entry.set_value(toleration.value);
  if (!toleration.effect.empty()) entry.set_effect(toleration.effect);
}

/// Whether the pod requests any of the resource; a request of 0 asks for nothing.
bool requests(const core::PodSpec& pod, const submit_limits& limits, const std::string& resource) {
  const auto wants = [&](const core::Container& container) {
    const auto& all = container.resources().requests();
    const auto found = all.find(resource);
    if (found == all.end()) return false;
    // A text that is no amount is refused later.
    const auto amount = read_amount(resource, found->second.string(), limits, {});
    return !amount || *amount > 0;
  };
  return std::ranges::any_of(pod.containers(), wants) ||
         std::ranges::any_of(pod.initcontainers(), wants);
}

bool is_sidecar(const core::Container& container) {
  return container.restartpolicy() == "Always";
}

result<model::resource_list> requests_of(const core::Container& container,
                                         const submit_limits& limits, const std::string& place) {
  model::resource_list out;
  for (const auto& [name, quantity] : container.resources().requests()) {
    const auto amount = read_amount(name, quantity.string(), limits, place);
    if (!amount) return fail(amount.error());
    out.emplace_back(name, *amount);
  }
  return out;
}

result<model::resource_list> sum_requests(const core::PodSpec& pod, const submit_limits& limits,
                                          const std::string& place) {
  std::vector<model::resource_list> containers;
  for (const auto& container : pod.containers()) {
    auto own = requests_of(container, limits, place);
    if (!own) return own;
    containers.push_back(std::move(*own));
  }
  std::vector<model::init_container> init;
  for (const auto& container : pod.initcontainers()) {
    auto own = requests_of(container, limits, place);
    if (!own) return own;
    init.push_back({std::move(*own), is_sidecar(container)});
  }
  auto sum = model::pod_requests(containers, init);
  std::erase_if(sum, [](const auto& item) { return item.second <= 0; });
  for (const auto& [name, amount] : sum)
    // A round refuses a job above this sum, and would look at the job in vain for ever.
    if (amount > model::request_max)
      return refuse_at(place + ".containers",
                       "the requests of '" + shown(name) + "' add up to more than " +
                           model::format_quantity(model::request_max, limits.resources.at(name)));
  return sum;
}

model::affinity_rule to_rule(const core::NodeSelectorRequirement& in) {
  // Others were refused before.
  const auto operation = model::operation_of(in.operator_());
  return {in.key(),
          operation.value_or(model::affinity_rule::op::in),
          {in.values().begin(), in.values().end()}};
}

}  // namespace

void apply_pod_defaults(core::PodSpec& pod, const submit_limits& limits) {
  if (pod.priorityclassname().empty()) pod.set_priorityclassname(limits.priority_class);
  for (auto& container : *pod.mutable_containers()) {
    auto& resources = *container.mutable_resources();
    for (const auto& [name, amount] : limits.rules.default_requests) {
      if (resources.requests().contains(name) || resources.limits().contains(name)) continue;
      const auto unit = limits.resources.find(name);
      if (unit == limits.resources.end()) continue;
      const auto text = model::format_quantity(amount, unit->second);
      (*resources.mutable_requests())[name].set_string(text);
      (*resources.mutable_limits())[name].set_string(text);
    }
  }
  if (!pod.has_activedeadlineseconds()) {
    std::chrono::milliseconds deadline{0};
    for (const auto& [name, own] : limits.rules.default_deadline_by_resource)
      if (requests(pod, limits, name)) deadline = std::max(deadline, own);
    if (deadline.count() == 0) deadline = limits.rules.default_deadline;
    if (deadline.count() > 0) pod.set_activedeadlineseconds(seconds_of(deadline));
  }
  for (const auto& toleration : limits.tolerations) add_toleration(pod, toleration);
  if (const auto own = limits.tolerations_by_class.find(pod.priorityclassname());
      own != limits.tolerations_by_class.end())
    for (const auto& toleration : own->second) add_toleration(pod, toleration);
  for (const auto& [name, tolerations] : limits.tolerations_by_resource)
    if (requests(pod, limits, name))
      for (const auto& toleration : tolerations) add_toleration(pod, toleration);
  if (pod.terminationgraceperiodseconds() == 0)
    pod.set_terminationgraceperiodseconds(seconds_of(limits.rules.grace_min));
}

result<model::job_shape> shape_of(const core::PodSpec& pod, const submit_limits& limits,
                                  const std::string& place) {
  model::job_shape shape;
  auto amounts = sum_requests(pod, limits, place);
  if (!amounts) return fail(std::move(amounts.error()));
  shape.requests = std::move(*amounts);
  shape.node_selector.assign(pod.nodeselector().begin(), pod.nodeselector().end());
  std::ranges::sort(shape.node_selector);
  const auto& selector =
      pod.affinity().nodeaffinity().requiredduringschedulingignoredduringexecution();
  for (const auto& term : selector.nodeselectorterms()) {
    // A term without rules matches no node, so that it adds nothing to the alternatives.
    if (term.matchexpressions_size() == 0) continue;
    auto& rules = shape.affinity.emplace_back();
    for (const auto& rule : term.matchexpressions()) rules.push_back(to_rule(rule));
  }
  for (const auto& toleration : pod.tolerations()) {
    const bool exists = toleration.operator_() == "Exists";
    // Nobody becomes what containers can carry out by saying so.
    if (model::is_of_containers(toleration.key(), exists, toleration.value())) continue;
    shape.tolerations.push_back(
        {toleration.key(), exists, toleration.value(), toleration.effect()});
  }
  shape.priority_class = pod.priorityclassname();
  shape.process_obstacle = process_obstacle(pod);
  if (shape.process_obstacle.empty())
    shape.tolerations.push_back({model::process_backend_taint, true, "", ""});
  else if (container_obstacle(pod).empty())
    shape.tolerations.push_back({model::process_backend_taint, false, model::with_containers, ""});
  return shape;
}

std::string attached_obstacle(bool services, bool ingresses) {
  return services ? "services" : ingresses ? "ingress" : "";
}

std::shared_ptr<const model::job_shape> with_attached(
    const std::shared_ptr<const model::job_shape>& of_pod, bool services, bool ingresses,
    shape_table& shapes) {
  if (!services && !ingresses) return of_pod;
  auto shape = *of_pod;
  std::erase_if(shape.tolerations, [&](const model::toleration& each) {
    return model::is_of_containers(each.key, each.exists, each.value) ||
           (each.key == model::process_backend_taint && shape.process_obstacle.empty());
  });
  if (shape.process_obstacle.empty())
    shape.process_obstacle = attached_obstacle(services, ingresses);
  shape.attached = {model::attached_services};
  if (ingresses) shape.attached.emplace_back(model::attached_ingresses);
  return shapes.intern(shape);
}

}  // namespace argosy::codec
