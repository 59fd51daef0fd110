// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/pod_memory.hpp"

#include "runtime/model/amounts.hpp"
#include "runtime/model/quantity.hpp"

namespace argosy::codec {

namespace {

namespace core = k8s::io::api::core::v1;

constexpr const char* memory = "memory";

std::int64_t memory_of(const core::Container& container) {
  const auto at = container.resources().requests().find(memory);
  if (at == container.resources().requests().end()) return 0;
  return model::parse_quantity(at->second.string(), model::unit_of(memory)).value_or(0);
}

}  // namespace

void grow_memory(const model::resource_list& requests, core::PodSpec& pod) {
  std::int64_t sum = 0;
  for (const auto& each : pod.containers()) sum += memory_of(each);
  const auto wanted = model::amount_of(requests, memory);
  if (sum <= 0 || wanted <= sum || pod.containers_size() == 0) return;
  for (const auto& each : pod.initcontainers())
    if (memory_of(each) >= wanted || each.restartpolicy() == "Always") return;
  auto& first = *pod.mutable_containers(0);
  const auto text = model::format_quantity(memory_of(first) + wanted - sum, model::unit_of(memory));
  (*first.mutable_resources()->mutable_requests())[memory].set_string(text);
  (*first.mutable_resources()->mutable_limits())[memory].set_string(text);
}

}  // namespace argosy::codec
