// SPDX-License-Identifier: Apache-2.0
// Collects lists that the server gives in pages.
#pragma once

#include <string_view>

#include "bins/argosyctl/client/client.hpp"

namespace argosy::ctl {

/// A list is begun again at most so often, if the server has another history than when it began.
inline constexpr int list_restarts_max = 3;

/// Returns all pages as one answer. Request and Response have a `cursor`; the listed field is
/// repeated. It begins again when the server refuses to go on behind a page.
template <class Response, class Request>
[[nodiscard]] result<Response> call_pages(client& server, std::string_view method,
                                          Request request) {
  Response all;
  int restarts = 0;
  while (true) {
    auto page = call<Response>(server, method, request);
    if (!page && page.error().code == ec::conflict && !request.cursor().empty() &&
        restarts++ < list_restarts_max) {
      request.clear_cursor();
      all.Clear();
      continue;
    }
    if (!page) return page;
    request.set_cursor(page->cursor());
    all.MergeFrom(*page);
    if (request.cursor().empty()) break;
  }
  all.clear_cursor();
  return all;
}

}  // namespace argosy::ctl
