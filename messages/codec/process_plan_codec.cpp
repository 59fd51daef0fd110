// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/process_plan_codec.hpp"

#include <google/protobuf/arena.h>

#include <algorithm>
#include <limits>

#include "messages/codec/job_variables.hpp"
#include "messages/codec/submit/pod_shape.hpp"
#include "messages/codec/wire.hpp"

namespace argosy::codec {

namespace {

namespace core = k8s::io::api::core::v1;

const std::string* find(const model::label_list& env, std::string_view name) {
  const auto at = std::ranges::find(env, name, [](const auto& entry) { return entry.first; });
  return at == env.end() ? nullptr : &at->second;
}

void set(model::label_list& env, std::string_view name, std::string value) {
  const auto at = std::ranges::find(env, name, [](const auto& entry) { return entry.first; });
  if (at == env.end())
    env.emplace_back(name, std::move(value));
  else
    at->second = std::move(value);
}

/// Replaces `$(NAME)` by the variable's value if there is one, and `$$` by `$`; all else stays.
std::string expand(std::string_view text, const model::label_list& env) {
  std::string out;
  while (!text.empty()) {
    const auto dollar = text.find('$');
    out += text.substr(0, dollar);
    if (dollar == std::string_view::npos) break;
    text.remove_prefix(dollar);
    const auto end = text.find(')');
    if (text.starts_with("$$")) {
      out += '$';
      text.remove_prefix(2);
    } else if (text.starts_with("$(") && end != std::string_view::npos) {
      const auto* value = find(env, text.substr(2, end - 2));
      out += value ? std::string_view{*value} : text.substr(0, end + 1);
      text.remove_prefix(end + 1);
    } else {
      out += '$';
      text.remove_prefix(1);
    }
  }
  return out;
}

/// Reads the user and group to run as. The container's settings go before the pod's. Returns an
/// obstacle if a number is no id.
std::string read_identity(const core::PodSpec& pod, const core::Container& container,
                          model::process_plan& plan) {
  const auto& own = container.securitycontext();
  const auto& shared = pod.securitycontext();
  const auto take = [](bool has, std::int64_t number, std::optional<std::uint32_t>& out) {
    if (!has) return true;
    if (number < 0 || number >= std::numeric_limits<std::uint32_t>::max()) return false;
    out = static_cast<std::uint32_t>(number);
    return true;
  };
  const bool is_valid = take(shared.has_runasuser(), shared.runasuser(), plan.user) &&
                        take(own.has_runasuser(), own.runasuser(), plan.user) &&
                        take(shared.has_runasgroup(), shared.runasgroup(), plan.group) &&
                        take(own.has_runasgroup(), own.runasgroup(), plan.group);
  plan.non_root = own.has_runasnonroot() ? own.runasnonroot() : shared.runasnonroot();
  return is_valid ? "" : "podSpec.securityContext";
}

model::label_list sorted(const string_map& in) {
  return from_wire(in);
}

}  // namespace

result<model::process_plan> decode_process_plan(const model::start_run& order,
                                                model::plan_contents wanted) {
  google::protobuf::Arena arena;
  auto& spec = *google::protobuf::Arena::CreateMessage<log::v1::JobSpec>(&arena);
  if (auto ok = decode(order.spec ? *order.spec : std::string{}, spec, "job specification"); !ok)
    return fail(std::move(ok.error()));
  model::process_plan plan;
  plan.annotations = sorted(spec.annotations());
  if (wanted == model::plan_contents::annotations) return plan;
  const auto& pod = spec.pod_spec();
  plan.obstacle = process_obstacle(pod);
  if (plan.obstacle.empty())
    plan.obstacle = attached_obstacle(spec.services_size() > 0, spec.ingress_size() > 0);
  if (!plan.obstacle.empty()) return plan;
  const auto& container = pod.containers(0);
  plan.container = container.name();
  plan.env = job_variables(order, spec);
  for (int i = 0; i < container.env_size(); ++i) {
    const auto& variable = container.env(i);
    if (variable.name().empty() || variable.name().find('=') != std::string::npos) {
      plan.obstacle = "podSpec.containers[0].env[" + std::to_string(i) + "].name";
      return plan;
    }
    set(plan.env, variable.name(), expand(variable.value(), plan.env));
  }
  for (const auto& word : container.command()) plan.argv.push_back(expand(word, plan.env));
  for (const auto& word : container.args()) plan.argv.push_back(expand(word, plan.env));
  plan.working_dir = container.workingdir();
  plan.obstacle = read_identity(pod, container, plan);
  return plan;
}

}  // namespace argosy::codec
