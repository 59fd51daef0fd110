// SPDX-License-Identifier: Apache-2.0
// Questions about more things than one request may name: several hundred at a time, the next ones
// asked for while the last ones are being used.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "bins/argosyctl/client/client.hpp"

namespace argosy::ctl {

/// As many as a server takes in one request unless it was configured otherwise
/// (api.queryItemsMax).
inline constexpr std::size_t ids_per_request = 500;

struct batched_question {
  std::string_view method;
  std::size_t items = 0;  ///< All of them.
  std::size_t step = ids_per_request;
  /// Encodes the request for the items [first, last).
  std::function<std::string(std::size_t first, std::size_t last)> request;
  /// Takes the answer about them. An error ends it all.
  std::function<result<void>(std::size_t first, std::size_t last, const std::string& data)> use;
};

/// Asks about all items in their order. A request that the server finds too long is sent again with
/// half of its items, and so are those that follow.
[[nodiscard]] result<void> ask_in_batches(client& server, const batched_question& about);

/// Whether a request that failed so may be accepted with fewer items.
[[nodiscard]] constexpr bool may_be_too_long(ec code) noexcept {
  return code == ec::invalid_argument || code == ec::too_large;
}

}  // namespace argosy::ctl
