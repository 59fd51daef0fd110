// SPDX-License-Identifier: Apache-2.0
// How errors are told over REST, and which times callers set.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/error.hpp"
#include "runtime/border/status_code.hpp"
#include "runtime/rest/page_file.hpp"
#include "runtime/rpc/method.hpp"
#include "runtime/rpc/session/grpc_text.hpp"

namespace argosy::rest {

/// An error with the codes by which gRPC and HTTP name it.
struct reply {
  status_code code = status_code::ok;
  int http_status = 200;
  std::string message;
};

[[nodiscard]] reply to_reply(const error& why);
/// The same for an error of the API: an absence is told as the method has it.
[[nodiscard]] reply to_reply(const rpc::method& method, const error& why);
/// Nobody is known by what the caller presents.
[[nodiscard]] reply unauthenticated(std::string why);
/// The body is packed, or a form.
[[nodiscard]] reply packed_body();
/// The body ended too early.
[[nodiscard]] reply cut_body();
/// The body has more than so many bytes.
[[nodiscard]] reply longer_body(std::size_t most);

/// {"error","code","message"}
[[nodiscard]] std::string error_body(const reply& from);
/// {"error":{"grpc_code","http_code","message","http_status"}}, the last line of a stream. Clients
/// know `details` there as well, which is left out when it is empty, and no status of ours has any.
[[nodiscard]] std::string late_error(const reply& from);

using rpc::read_timeout;

/// Whether a header Host names this machine by a name that only this machine has.
[[nodiscard]] bool is_local_name(std::string_view host);

/// Whether a page of `origin` was served by this endpoint, which the browser calls `host`. A page
/// may have its own name resolve to this machine, so that a name tells nothing unless the page
/// knows what proves who its reader is.
[[nodiscard]] bool is_own_page(std::string_view origin, std::string_view host, bool shows_proof);

/// {"issuer","clientId","passwords"}: how readers of the page log in, without what there is not.
[[nodiscard]] std::string login_body(const page_login& from);

/// "https://login.example.com:8443" of a URL. Empty if it has anything that could mean more in a
/// security policy than the origin that it is.
[[nodiscard]] std::string origin_of(std::string_view url);

}  // namespace argosy::rest
