// SPDX-License-Identifier: Apache-2.0
// Asks about more things than one request may name: several hundred at a time. The next ones are
// asked for while the last ones are being used.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "bins/argosyctl/client/client.hpp"

namespace argosy::ctl {

/// How many a server takes in one request, unless it was configured otherwise (api.queryItemsMax).
inline constexpr std::size_t ids_per_request = 500;

struct batched_question {
  std::string_view method;
  std::size_t items = 0;  ///< How many items there are in all.
  std::size_t step = ids_per_request;
  /// Encodes the request for the items [first, last).
  std::function<std::string(std::size_t first, std::size_t last)> request;
  /// Takes the answer about these items. An error ends all questions.
  std::function<result<void>(std::size_t first, std::size_t last, const std::string& data)> use;
};

/// Asks about all items in their order. A request that the server finds too long is sent again with
/// half of its items, and later requests have that size, too.
[[nodiscard]] result<void> ask_in_batches(client& server, const batched_question& about);

/// Whether a request that failed with this code may be accepted with fewer items.
[[nodiscard]] constexpr bool may_be_too_long(ec code) noexcept {
  return code == ec::invalid_argument || code == ec::too_large;
}

}  // namespace argosy::ctl
