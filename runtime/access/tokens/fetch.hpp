// SPDX-License-Identifier: Apache-2.0
// One request over HTTP, as those who ask other servers about tokens see it. Tests put a scripted
// one in its place; programs take the one of runtime/access/tokens/curl.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/result.hpp"

namespace argosy::access {

struct http_request {
  std::string url{};
  /// Empty: it is a GET, else a POST of this.
  std::string body{};
  std::string content_type = "application/json";
  /// The header `authorization`; empty: there is none.
  std::string authorization{};
  /// A file (PEM) with the authorities that may have signed the server's certificate. Empty: those
  /// of the system.
  std::string authorities{};
  std::chrono::milliseconds within{5'000};  ///< For all of it.
  std::size_t answer_bytes_max = 1'000'000;
};

struct http_answer {
  int status = 0;
  std::string body{};
};

/// Waits for the answer. ec::unreachable with a sentence if there is none. It is called on any
/// thread, also at the same time.
using fetch_function = std::function<result<http_answer>(const http_request&)>;

/// Whether such a URL may be asked: https, or http on a loopback address of this machine.
[[nodiscard]] bool is_safe_url(std::string_view url);
/// Whether the URL's host is a loopback address or `localhost`.
[[nodiscard]] bool is_loopback_url(std::string_view url);

}  // namespace argosy::access
