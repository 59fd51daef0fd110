// SPDX-License-Identifier: Apache-2.0
// This file says what becomes of each field of a pod spec on each backend. No field that says
// where or when a pod may run is taken without being kept: Argosy chooses the nodes itself, so that
// a rule which a round does not evaluate is refused, even where Kubernetes' scheduler knows it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "messages/proto/k8s/pod.pb.h"
#include "runtime/base/result.hpp"

namespace argosy::codec {

enum class field_fate : std::uint8_t {
  kept,       ///< It holds.
  elsewhere,  ///< A job with it does not come to this backend.
  refused,    ///< A job with it is refused at submission, whatever the backend.
  ignored,    ///< It is taken and has no effect, for a reason that is given.
};

/// A rule holds for the field and for all fields below it that have no rule of their own.
struct pod_field_rule {
  std::string_view path;  ///< As "affinity.nodeAffinity"; an empty name is the pod spec itself.
  field_fate kubernetes = field_fate::kept;
  field_fate process = field_fate::kept;
  field_fate simulated = field_fate::ignored;
  std::string_view why;  ///< For users where it is refused; for readers where it is ignored.
};

/// All rules, sorted by path.
[[nodiscard]] std::span<const pod_field_rule> pod_field_rules();

/// The rule for a field: the one with the longest path that holds it; null: there is none.
[[nodiscard]] const pod_field_rule* rule_of(std::string_view path);

/// ec::invalid_argument, beginning with the place of the field, for a pod with a refused field.
[[nodiscard]] result<void> check_pod_fields(const k8s::io::api::core::v1::PodSpec& pod,
                                            const std::string& place);

}  // namespace argosy::codec
