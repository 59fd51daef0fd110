// SPDX-License-Identifier: Apache-2.0
// This file tells how many bytes events take in the log, without encoding them, for those who cut
// batches and records.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/model/event.hpp"

namespace argosy::codec {

/// An upper estimate of an event's encoded size, for cutting batches.
[[nodiscard]] std::size_t size_hint(const model::event& event) noexcept;
[[nodiscard]] std::size_t size_hint(const std::vector<model::event>& events) noexcept;

}  // namespace argosy::codec
