// SPDX-License-Identifier: Apache-2.0
#include "messages/submit_file/message_plan.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>

namespace argosy::submit_file {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

/// Kubernetes embeds these messages, so that in files their fields stand in the message around
/// them; on the wire they are fields of their own.
constexpr std::array<std::string_view, 11> embedded_fields{
    "k8s.io.api.core.v1.ConfigMapEnvSource.localObjectReference",
    "k8s.io.api.core.v1.ConfigMapKeySelector.localObjectReference",
    "k8s.io.api.core.v1.ConfigMapProjection.localObjectReference",
    "k8s.io.api.core.v1.ConfigMapVolumeSource.localObjectReference",
    "k8s.io.api.core.v1.EphemeralContainer.ephemeralContainerCommon",
    "k8s.io.api.core.v1.Probe.handler",
    "k8s.io.api.core.v1.SecretEnvSource.localObjectReference",
    "k8s.io.api.core.v1.SecretKeySelector.localObjectReference",
    "k8s.io.api.core.v1.SecretProjection.localObjectReference",
    "k8s.io.api.core.v1.Volume.volumeSource",
    "k8s.io.api.networking.v1.IngressRule.ingressRuleValue"};

bool is_embedded(const FieldDescriptor* field) {
  return std::ranges::find(embedded_fields, field->full_name()) != embedded_fields.end();
}

scalar_form form_of(const Descriptor* type) {
  const auto& name = type->full_name();
  if (name == "k8s.io.apimachinery.pkg.api.resource.Quantity") return scalar_form::quantity;
  if (name == "k8s.io.apimachinery.pkg.util.intstr.IntOrString") return scalar_form::int_or_string;
  if (name == "k8s.io.apimachinery.pkg.apis.meta.v1.Time") return scalar_form::time;
  return scalar_form::none;
}

/// The type of a message field, or of a map's values; null for scalars.
const Descriptor* type_behind(const FieldDescriptor* field) {
  if (field->is_map()) return field->message_type()->map_value()->message_type();
  return field->message_type();
}

/// All plans. They are recursive, since a type may contain itself.
struct registry {
  std::recursive_mutex mutex;
  std::map<const Descriptor*, std::unique_ptr<message_plan>> plans;
};

registry& all_plans() {
  static auto& plans = *new registry;
  return plans;
}

}  // namespace

const message_plan& message_plan::of(const Descriptor* type) {
  auto& registry = all_plans();
  const std::lock_guard lock{registry.mutex};
  auto& plan = registry.plans[type];
  if (!plan) {
    plan = std::make_unique<message_plan>();
    plan->fill(type);
  }
  return *plan;
}

void message_plan::fill(const Descriptor* type) {
  form_ = form_of(type);
  if (form_ != scalar_form::none) return;
  for (int i = 0; i < type->field_count(); ++i) {
    const auto* field = type->field(i);
    const auto* behind = type_behind(field);
    if (!is_embedded(field)) {
      add(field->json_name(), {field, nullptr, behind ? &of(behind) : nullptr});
      continue;
    }
    const auto& inner = of(behind);
    for (const auto key : inner.keys()) {
      auto plan = *inner.find(key);
      plan.inlined_in = field;
      add(key, plan);
    }
  }
}

void message_plan::add(std::string_view key, const field_plan& plan) {
  if (fields_.try_emplace(key, plan).second) keys_.push_back(key);
}

}  // namespace argosy::submit_file
