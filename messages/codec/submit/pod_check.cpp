// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/submit/pod_check.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <vector>

#include "messages/codec/number_ranges.hpp"
#include "messages/codec/submit/pod_fields.hpp"
#include "messages/codec/wire.hpp"
#include "runtime/base/whole_number.hpp"
#include "runtime/model/job.hpp"
#include "runtime/model/queue.hpp"

namespace argosy::codec {

namespace {

constexpr std::size_t name_size_max = 253;
constexpr std::size_t value_size_max = 4096;

std::string at_index(const std::string& place, const char* field, int index) {
  return place + "." + field + "[" + std::to_string(index) + "]";
}

std::string at_key(const std::string& place, const char* field, const std::string& key) {
  return place + "." + field + "[\"" + shown(key) + "\"]";
}

/// The names in a fixed order, so that the first failing check is always the same one.
std::vector<const std::string*> sorted_keys(const quantity_map& amounts) {
  std::vector<const std::string*> keys;
  keys.reserve(amounts.size());
  for (const auto& entry : amounts) keys.push_back(&entry.first);
  std::ranges::sort(keys, [](const auto* a, const auto* b) { return *a < *b; });
  return keys;
}

/// Checks one requested resource against its limit.
result<void> check_request(const std::string& name, const core::ResourceRequirements& resources,
                           const submit_limits& limits, const std::string& place) {
  const auto request_place = at_key(place, "requests", name);
  const auto limit = resources.limits().find(name);
  if (limit == resources.limits().end())
    return refuse_at(request_place,
                     "has no limit; set limits[\"" + shown(name) + "\"] to the same value");
  const auto& request_text = resources.requests().at(name).string();
  const auto& limit_text = limit->second.string();
  auto requested = read_amount(name, request_text, limits, request_place);
  if (!requested) return fail(std::move(requested.error()));
  const auto limit_place = at_key(place, "limits", name);
  auto allowed = read_amount(name, limit_text, limits, limit_place);
  if (!allowed) return fail(std::move(allowed.error()));

  if (*allowed < *requested)
    return refuse_at(limit_place, "'" + shown(limit_text) + "' is below the request '" +
                                      shown(request_text) + "'; raise it to the request");
  const auto& factors = limits.rules.oversubscription_max;
  const auto factor_at =
      std::ranges::find(factors, name, [](const auto& entry) { return entry.first; });
  const double factor = factor_at == factors.end() ? 1.0 : factor_at->second;
  if (static_cast<double>(*allowed) > factor * static_cast<double>(*requested))
    return refuse_at(limit_place,
                     "'" + shown(limit_text) + "' is above the request '" + shown(request_text) +
                         "'" +
                         (factor_at == factors.end() ? "; limit and request must be equal"
                                                     : " times the allowed factor"));
  for (const auto& [least_name, least] : limits.rules.requests_min)
    if (least_name == name && *requested < least)
      return refuse_at(request_place, "'" + shown(request_text) + "' is below the minimum " +
                                          model::format_quantity(least, limits.resources.at(name)));
  return {};
}

result<void> check_container(const core::Container& container, const submit_limits& limits,
                             const std::string& place) {
  if (container.command_size() > 0 && container.command(0).empty())
    return refuse_at(place + ".command[0]", "is empty; it names the program to run");
  const auto& resources = container.resources();
  if (resources.requests().empty() && resources.limits().empty())
    return refuse_at(place + ".resources",
                     "has neither requests nor limits; set both, for example cpu and memory");
  if (resources.requests().size() != resources.limits().size())
    return refuse_at(place + ".resources",
                     "requests and limits name different resources; name the same in both");
  for (const auto* name : sorted_keys(resources.requests()))
    if (auto ok = check_request(*name, resources, limits, place + ".resources"); !ok) return ok;
  return {};
}

result<void> check_containers(const core::PodSpec& pod, const submit_limits& limits,
                              const std::string& place) {
  for (int i = 0; i < pod.containers_size(); ++i)
    if (auto ok = check_container(pod.containers(i), limits, at_index(place, "containers", i)); !ok)
      return ok;
  for (int i = 0; i < pod.initcontainers_size(); ++i)
    if (auto ok =
            check_container(pod.initcontainers(i), limits, at_index(place, "initContainers", i));
        !ok)
      return ok;
  if (!limits.rules.init_cpu_fractional) return {};
  for (int i = 0; i < pod.initcontainers_size(); ++i) {
    const auto& requests = pod.initcontainers(i).resources().requests();
    const auto cpu = requests.find("cpu");
    if (cpu == requests.end()) continue;
    const auto cpu_place =
        at_key(at_index(place, "initContainers", i) + ".resources", "requests", "cpu");
    const auto amount = read_amount("cpu", cpu->second.string(), limits, cpu_place);
    if (!amount) return fail(amount.error());
    if (*amount > 0 && *amount % 1000 == 0)
      return refuse_at(cpu_place, "'" + shown(cpu->second.string()) +
                                      "' is a whole number of cores; an init container asks for a "
                                      "fraction, for example 900m");
  }
  return {};
}

result<void> check_rule(const core::NodeSelectorRequirement& rule, const std::string& place) {
  if (rule.key().empty()) return refuse_at(place + ".key", "is empty; name a node label");
  if (auto ok = model::validate_printable(rule.key(), place + ".key", key_size_max); !ok) return ok;
  for (const auto& value : rule.values())
    if (auto ok = model::validate_printable(value, place + ".values", value_size_max); !ok)
      return ok;
  const auto& op = rule.operator_();
  const int values = rule.values_size();
  if (op == "In" || op == "NotIn") {
    if (values == 0) return refuse_at(place + ".values", "is empty; operator " + op + " needs one");
    return {};
  }
  if (op == "Exists" || op == "DoesNotExist") {
    if (values > 0) return refuse_at(place + ".values", "must be empty with operator " + op);
    return {};
  }
  if (op == "Gt" || op == "Lt") {
    if (values != 1)
      return refuse_at(place + ".values", "must be one whole number with operator " + op);
    const auto& text = rule.values(0);
    if (!whole_number<std::int64_t>(text))
      return refuse_at(
          place + ".values[0]",
          "'" + shown(text) + "' is not a whole number, which operator " + op + " needs");
    return {};
  }
  return refuse_at(place + ".operator",
                   "'" + shown(op) + "' is not one of In, NotIn, Exists, DoesNotExist, Gt, Lt");
}

result<void> check_affinity(const core::PodSpec& pod, const std::string& place) {
  if (!pod.affinity().has_nodeaffinity()) return {};
  const auto& affinity = pod.affinity().nodeaffinity();
  const auto here = place + ".affinity.nodeAffinity";
  if (affinity.preferredduringschedulingignoredduringexecution_size() > 0)
    return refuse_at(here + ".preferredDuringSchedulingIgnoredDuringExecution",
                     "is not supported; use requiredDuringSchedulingIgnoredDuringExecution");
  if (!affinity.has_requiredduringschedulingignoredduringexecution()) return {};
  const auto& selector = affinity.requiredduringschedulingignoredduringexecution();
  const auto terms_place = here + ".requiredDuringSchedulingIgnoredDuringExecution";
  if (selector.nodeselectorterms_size() == 0)
    return refuse_at(terms_place + ".nodeSelectorTerms", "is empty; give at least one term");
  bool has_rule = false;
  for (int t = 0; t < selector.nodeselectorterms_size(); ++t) {
    const auto& term = selector.nodeselectorterms(t);
    const auto term_place = at_index(terms_place, "nodeSelectorTerms", t);
    if (term.matchfields_size() > 0)
      return refuse_at(term_place + ".matchFields",
                       "is not supported; use matchExpressions, for example on the label "
                       "kubernetes.io/hostname");
    for (int r = 0; r < term.matchexpressions_size(); ++r) {
      if (auto ok =
              check_rule(term.matchexpressions(r), at_index(term_place, "matchExpressions", r));
          !ok)
        return ok;
      has_rule = true;
    }
  }
  if (!has_rule)
    return refuse_at(terms_place + ".nodeSelectorTerms",
                     "no term has a rule, so no node could match");
  return {};
}

/// Names that identify things must be printable; text that nobody reads may be anything.
result<void> check_names(const core::PodSpec& pod, const std::string& place) {
  const auto names_of = [&](const auto& containers, const char* field) -> result<void> {
    for (int i = 0; i < containers.size(); ++i)
      if (auto ok = model::validate_printable(containers[i].name(),
                                              at_index(place, field, i) + ".name", name_size_max);
          !ok)
        return ok;
    return {};
  };
  if (auto ok = names_of(pod.containers(), "containers"); !ok) return ok;
  if (auto ok = names_of(pod.initcontainers(), "initContainers"); !ok) return ok;
  for (const auto& [key, value] : pod.nodeselector()) {
    if (auto ok = model::validate_printable(key, place + ".nodeSelector", key_size_max); !ok)
      return ok;
    if (auto ok =
            model::validate_printable(value, at_key(place, "nodeSelector", key), value_size_max);
        !ok)
      return ok;
  }
  return {};
}

result<void> check_pod_numbers(const core::PodSpec& pod, const submit_limits& limits,
                               const std::string& place) {
  const auto grace = pod.terminationgraceperiodseconds();
  const auto least = seconds_of(limits.rules.grace_min);
  const auto most = seconds_of(limits.rules.grace_max);
  if (grace != 0 && (grace < least || grace > most))
    return refuse_at(place + ".terminationGracePeriodSeconds",
                     std::to_string(grace) + " is outside " + std::to_string(least) + " to " +
                         std::to_string(most) + ", and is not 0, which means " +
                         std::to_string(least));
  return check_numbers(pod, place);
}

result<void> check_restart_policy(const std::string& policy, const std::string& place) {
  constexpr std::array<std::string_view, 4> known{"", "Always", "OnFailure", "Never"};
  if (std::ranges::find(known, policy) != known.end()) return {};
  return refuse_at(place + ".restartPolicy",
                   "'" + shown(policy) + "' is not one of Always, OnFailure, Never");
}

template <class Containers>
result<void> check_each(const Containers& containers, const std::string& place) {
  for (int i = 0; i < containers.size(); ++i)
    if (auto ok = check_restart_policy(containers[i].restartpolicy(),
                                       place + "[" + std::to_string(i) + "]");
        !ok)
      return ok;
  return {};
}

}  // namespace

result<std::int64_t> read_amount(const std::string& resource, const std::string& quantity,
                                 const submit_limits& limits, const std::string& place) {
  const auto unit = limits.resources.find(resource);
  if (unit == limits.resources.end()) {
    std::string known;
    for (const auto& entry : limits.resources) known += (known.empty() ? "" : ", ") + entry.first;
    return refuse_at(place, "unknown resource '" + shown(resource) + "'; known are " + known);
  }
  auto amount = model::parse_quantity(quantity, unit->second, model::request_max);
  if (!amount) return refuse_at(place, amount.error().detail);
  return *amount;
}

result<void> check_pod(const core::PodSpec& pod, const submit_limits& limits,
                       const std::string& place) {
  if (pod.containers_size() == 0)
    return refuse_at(place + ".containers", "is empty; a pod needs at least one container");
  if (auto ok = check_names(pod, place); !ok) return ok;
  if (auto ok = check_affinity(pod, place); !ok) return ok;
  if (auto ok = check_pod_fields(pod, place); !ok) return ok;
  if (auto ok = check_containers(pod, limits, place); !ok) return ok;
  const auto& wanted = pod.priorityclassname();
  if (!wanted.empty() &&
      std::ranges::find(limits.priority_classes, wanted) == limits.priority_classes.end()) {
    std::string known;
    for (const auto& name : limits.priority_classes) known += (known.empty() ? "" : ", ") + name;
    return refuse_at(place + ".priorityClassName",
                     "unknown priority class '" + shown(wanted) + "'; known are " + known);
  }
  return check_pod_numbers(pod, limits, place);
}

result<void> check_pod_ports(const core::PodSpec& pod, const std::string& place) {
  std::set<std::int32_t> seen;
  const auto check = [&](const auto& containers, const char* field) -> result<void> {
    for (int i = 0; i < containers.size(); ++i)
      for (int p = 0; p < containers[i].ports_size(); ++p)
        if (const auto port = containers[i].ports(p).containerport(); !seen.insert(port).second)
          return refuse_at(at_index(at_index(place, field, i), "ports", p) + ".containerPort",
                           "port " + std::to_string(port) + " is exposed twice");
    return {};
  };
  if (auto ok = check(pod.containers(), "containers"); !ok) return ok;
  return check(pod.initcontainers(), "initContainers");
}

result<void> check_pod_tolerations(const core::PodSpec& pod, const submit_limits& limits,
                                   const std::string& place) {
  for (int i = 0; i < pod.tolerations_size(); ++i) {
    const auto& toleration = pod.tolerations(i);
    const auto here = at_index(place, "tolerations", i);
    if (std::ranges::find(limits.rules.restricted_toleration_keys, toleration.key()) !=
        limits.rules.restricted_toleration_keys.end())
      return refuse_at(here + ".key",
                       "'" + shown(toleration.key()) + "' is reserved; leave the toleration out");
    if (auto ok = model::validate_printable(toleration.key(), here + ".key", key_size_max); !ok)
      return ok;
    if (auto ok = model::validate_printable(toleration.value(), here + ".value", value_size_max);
        !ok)
      return ok;
    const auto& op = toleration.operator_();
    if (!op.empty() && op != "Equal" && op != "Exists")
      return refuse_at(here + ".operator", "'" + shown(op) + "' is not one of Equal, Exists");
    const model::toleration read{toleration.key(), op == "Exists", toleration.value(),
                                 toleration.effect()};
    if (const auto fault = model::find_fault(read))
      return refuse_at(here + "." + std::string{fault->field}, fault->why);
    if (toleration.has_tolerationseconds() && toleration.effect() != "NoExecute")
      return refuse_at(here + ".tolerationSeconds", "needs effect NoExecute");
  }
  return {};
}

result<void> check_restart_policies(const core::PodSpec& pod, const std::string& place) {
  if (auto ok = check_restart_policy(pod.restartpolicy(), place); !ok) return ok;
  if (auto ok = check_each(pod.containers(), place + ".containers"); !ok) return ok;
  return check_each(pod.initcontainers(), place + ".initContainers");
}

}  // namespace argosy::codec
