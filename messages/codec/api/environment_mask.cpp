// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/api/environment_mask.hpp"

#include <absl/strings/ascii.h>

#include <algorithm>
#include <array>
#include <string>

#include "messages/proto/api/submit.pb.h"

namespace argosy::codec {

namespace {

/// The annotations in which tools keep what they have applied, packed or not.
constexpr std::array<std::string_view, 4> applied_names{
    "kubectl.kubernetes.io/last-applied-configuration", "kapp.k14s.io/original",
    "objectset.rio.cattle.io/applied", "banzaicloud.com/last-applied"};

/// Whether the text has this key of JSON or YAML, also of JSON as a text in JSON.
bool has_key(std::string_view text, std::string_view key) {
  const auto in_word = [](char c) { return absl::ascii_isalnum(c) || c == '_' || c == '-'; };
  for (auto at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    if (at > 0 && in_word(text[at - 1])) continue;
    const auto end = text.find_first_not_of("\\\"' \t\r\n", at + key.size());
    if (end != std::string_view::npos && text[end] == ':') return true;
  }
  return false;
}

void hide_in(google::protobuf::Map<std::string, std::string>& annotations) {
  for (auto& [name, value] : annotations)
    if (repeats_environment(name, value)) value = std::string{hidden_value};
}

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

bool repeats_environment(std::string_view name, std::string_view value) {
  if (std::ranges::find(applied_names, name) != applied_names.end()) return !value.empty();
  return has_key(value, "env") && has_key(value, "value");
}

void hide_environment(api::Job& job) {
  hide_in(*job.mutable_annotations());
  for (auto& ingress : *job.mutable_ingress()) hide_in(*ingress.mutable_annotations());
  if (job.has_pod_spec()) hide_in_spec(*job.mutable_pod_spec());
  for (auto& spec : *job.mutable_pod_specs()) hide_in_spec(spec);
}

std::string hidden_place(const k8s::io::api::core::v1::PodSpec& spec) {
  auto out = hidden_in(spec.containers(), "containers");
  return out.empty() ? hidden_in(spec.initcontainers(), "initContainers") : out;
}

bool has_hidden(const google::protobuf::Map<std::string, std::string>& annotations) {
  return std::ranges::any_of(annotations, [](auto& one) { return one.second == hidden_value; });
}

bool hides_values(const api::Job& job) {
  const auto hides = [](const auto& spec) { return !hidden_place(spec).empty(); };
  const auto hides_some = [](const auto& one) { return has_hidden(one.annotations()); };
  return hides_some(job) || std::ranges::any_of(job.ingress(), hides_some) ||
         hides(job.pod_spec()) || std::ranges::any_of(job.pod_specs(), hides);
}

}  // namespace argosy::codec
