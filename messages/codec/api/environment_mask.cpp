// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/api/environment_mask.hpp"

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

}  // namespace

void hide_environment(api::Job& job) {
  if (job.has_pod_spec()) hide_in_spec(*job.mutable_pod_spec());
  for (auto& spec : *job.mutable_pod_specs()) hide_in_spec(spec);
}

}  // namespace argosy::codec
