// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/event.hpp"

#include <array>
#include <type_traits>

#include "runtime/base/sealed_variant_impl.hpp"

template class argosy::sealed_variant<argosy::model::event_payload_variant>;

namespace argosy::model {

namespace {

constexpr std::array<std::string_view, 36> payload_names{"queue_set",
                                                         "queue_deleted",
                                                         "job_submitted",
                                                         "job_leased",
                                                         "run_pending",
                                                         "run_running",
                                                         "run_succeeded",
                                                         "run_failed",
                                                         "lease_returned",
                                                         "lease_expired",
                                                         "job_cancelling",
                                                         "job_cancelled",
                                                         "run_preempting",
                                                         "job_preempted",
                                                         "job_rejected",
                                                         "job_reprioritized",
                                                         "cluster_joined",
                                                         "cluster_left",
                                                         "nodes_changed",
                                                         "leader_elected",
                                                         "round_decided",
                                                         "run_noted",
                                                         "history_expired",
                                                         "generation_begun",
                                                         "cluster_erased",
                                                         "run_retried",
                                                         "retry_policy_set",
                                                         "retry_policy_deleted",
                                                         "cordon_changed",
                                                         "call_recorded",
                                                         "job_held",
                                                         "job_released",
                                                         "settings_changed",
                                                         "operation_changed",
                                                         "submission_accepted",
                                                         "planes_changed"};
static_assert(payload_names.size() == std::variant_size_v<event_payload_variant>);

}  // namespace

ulid job_of(const event& e) noexcept {
  return std::visit(
      [](const auto& payload) -> ulid {
        using type = std::decay_t<decltype(payload)>;
        if constexpr (std::is_same_v<type, job_submitted>)
          return payload.header->id;
        else if constexpr (requires { payload.run.job; })
          return payload.run.job;
        else if constexpr (requires { payload.job; })
          return payload.job;
        else
          return {};
      },
      e.payload);
}

std::string_view name_of(const event_payload& payload) noexcept {
  return payload_names[payload.index()];
}

}  // namespace argosy::model
