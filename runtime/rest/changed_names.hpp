// SPDX-License-Identifier: Apache-2.0
// In which queues and job sets jobs have changed, as web pages are told it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace argosy::rest {

/// A name is told as FNV-1a of its bytes in 32 bits. Nothing: any may have changed.
struct changed_names {
  std::optional<std::vector<std::uint32_t>> queues{};
  std::optional<std::vector<std::uint32_t>> job_sets{};
};

/// Tells where jobs have changed behind a position of the log.
using changes_behind = std::function<changed_names(std::uint64_t)>;

}  // namespace argosy::rest
