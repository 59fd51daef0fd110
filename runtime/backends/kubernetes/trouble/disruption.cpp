// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/trouble/disruption.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "runtime/backends/kubernetes/object.hpp"
#include "runtime/base/text.hpp"
#include "runtime/model/agent_run.hpp"

namespace argosy::backends {

namespace {

using object::json;
using object::part;
using object::text;

constexpr std::size_t message_max = 1000;

struct cause {
  std::string_view word;
  const char* reason;
  const char* sentence;
};

/// Reasons of the condition DisruptionTarget, and of the status before there was that condition.
constexpr std::array causes{
    cause{"NodeLost", model::reason_lost, "its node is lost"},
    cause{"DeletionByPodGC", model::reason_node_gone, "its node is gone"},
    cause{"DeletionByTaintManager", model::reason_node_gone, "its node does not want it any more"},
    cause{"Evicted", model::reason_evicted, "its node has evicted it"},
    cause{"TerminationByKubelet", model::reason_evicted, "its node has ended it"},
    cause{"EvictionByEvictionAPI", model::reason_evicted_on_request,
          "somebody has evicted it from its node"},
    cause{"PreemptionByScheduler", model::reason_displaced, "another pod took its place"},
    cause{"Terminated", model::reason_node_shutdown, "its node is being shut down"},
    cause{"NodeShutdown", model::reason_node_shutdown, "its node is being shut down"}};

std::optional<disruption> known_by(const json& of) {
  const auto* const found = std::ranges::find(causes, text(of, "reason"), &cause::word);
  if (found == causes.end()) return std::nullopt;
  disruption out{found->reason, found->sentence};
  if (const auto more = text(of, "message"); !more.empty())
    out.message += ": " + std::string{cut_to_size(more, message_max)};
  return out;
}

}  // namespace

bool exceeds_its_limit(const json& status) {
  const auto message = text(status, "message");
  return text(status, "reason") == "Evicted" &&
         (message.find("exceeds the ") != std::string::npos ||
          message.find("exceeded its ") != std::string::npos);
}

std::optional<disruption> disruption_of(const json& status) {
  if (exceeds_its_limit(status)) return std::nullopt;
  if (auto by = known_by(status)) return by;
  for (const auto& each : part(status, "conditions")) {
    if (text(each, "type") != "DisruptionTarget") continue;
    if (text(each, "status") != "True") return std::nullopt;
    if (auto by = known_by(each)) return by;
    auto why = text(each, "reason");
    if (const auto more = text(each, "message"); !more.empty())
      why += ": " + std::string{cut_to_size(more, message_max)};
    return disruption{model::reason_evicted, std::move(why)};
  }
  return std::nullopt;
}

}  // namespace argosy::backends
