// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/api/environment_mask.hpp"

#include <algorithm>
#include <string>

#include "messages/proto/api/submit.pb.h"

namespace argosy::codec {

namespace {

template <class Container>
void hide_in(Container& container) {
  for (auto& variable : *container.mutable_env())
    if (!variable.value().empty()) variable.set_value(std::string{hidden_value});
}

template <class Spec>
void hide_in_spec(Spec& spec) {
  for (auto& one : *spec.mutable_containers()) hide_in(one);
  for (auto& one : *spec.mutable_initcontainers()) hide_in(one);
  for (auto& one : *spec.mutable_ephemeralcontainers())
    hide_in(*one.mutable_ephemeralcontainercommon());
}

template <class Containers>
std::string hidden_in(const Containers& containers, const std::string& field) {
  for (int i = 0; i < containers.size(); ++i)
    for (int v = 0; v < containers[i].env_size(); ++v)
      if (containers[i].env(v).value() == hidden_value)
        return field + "[" + std::to_string(i) + "].env[" + std::to_string(v) + "].value";
  return {};
}

}  // namespace

void hide_environment(api::Job& job) {
  if (job.has_pod_spec()) hide_in_spec(*job.mutable_pod_spec());
  for (auto& spec : *job.mutable_pod_specs()) hide_in_spec(spec);
}

std::string hidden_place(const k8s::io::api::core::v1::PodSpec& spec) {
  auto out = hidden_in(spec.containers(), "containers");
  return out.empty() ? hidden_in(spec.initcontainers(), "initContainers") : out;
}

bool hides_values(const api::Job& job) {
  const auto hides = [](const auto& spec) { return !hidden_place(spec).empty(); };
  return hides(job.pod_spec()) || std::ranges::any_of(job.pod_specs(), hides);
}

}  // namespace argosy::codec
