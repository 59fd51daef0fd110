// SPDX-License-Identifier: Apache-2.0
// Collects lists that the server gives in pages.
#pragma once

#include <string_view>

#include "bins/argosyctl/client/client.hpp"

namespace argosy::ctl {

/// All pages as one answer. Request and Response have a `cursor`; the listed field is repeated.
template <class Response, class Request>
[[nodiscard]] result<Response> call_pages(client& server, std::string_view method,
                                          Request request) {
  Response all;
  do {
    auto page = call<Response>(server, method, request);
    if (!page) return page;
    request.set_cursor(page->cursor());
    all.MergeFrom(*page);
  } while (!request.cursor().empty());
  all.clear_cursor();
  return all;
}

}  // namespace argosy::ctl
