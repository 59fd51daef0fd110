// SPDX-License-Identifier: Apache-2.0
// This file declares which annotations of jobs are Argosy's own. What a job asks for by a misspelt
// one would silently not be done.
#pragma once

#include <google/protobuf/map.h>

#include <string>

#include "runtime/base/result.hpp"

namespace argosy::codec {

/// Fails with ec::invalid_argument, beginning with `place` and naming those that there are, for an
/// annotation below argosy.io/ that means nothing.
[[nodiscard]] result<void> check_own_annotations(
    const google::protobuf::Map<std::string, std::string>& annotations, const std::string& place);

}  // namespace argosy::codec
