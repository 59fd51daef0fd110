// SPDX-License-Identifier: Apache-2.0
// This file declares what operators ask about operations, and what they are answered.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/model/operation.hpp"

namespace argosy::native {

/// Where an operation stands in the list.
struct operation_place {
  ulid id{};
  model::queue_name queue{};
};

/// Asks the READER for operations, the newest first. Filters are joined by "and".
struct list_operations {
  std::string id{};  ///< How the id begins; empty: any.
  bool running_only = false;
  std::uint32_t limit = 0;  ///< How many a page has at most; 0: as many as there may be.
  std::optional<operation_place> after{};  ///< The operation_page::next of the page before.
};
struct operation_page {
  std::vector<model::operation> operations;
  std::optional<operation_place> next{};  ///< Nothing: all were given.
};
using operation_page_ptr = std::shared_ptr<const operation_page>;

}  // namespace argosy::native
