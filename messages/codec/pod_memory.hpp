// SPDX-License-Identifier: Apache-2.0
// The memory of a pod whose run gets more than its job asked for. It is private to messages/ and
// includes protobuf.
#pragma once

#include "messages/proto/k8s/pod.pb.h"
#include "runtime/model/job.hpp"

namespace argosy::codec {

/// A retry policy may give a run more memory than its job asked for: the first container gets it.
void grow_memory(const model::resource_list& requests, k8s::io::api::core::v1::PodSpec& pod);

}  // namespace argosy::codec
