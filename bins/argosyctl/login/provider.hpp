// SPDX-License-Identifier: Apache-2.0
// What an OpenID provider is asked to log somebody in who has a browser elsewhere (the device flow,
// RFC 8628), and to renew his token. Each function makes one request.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "bins/argosyctl/client/contexts.hpp"
#include "runtime/access/tokens/fetch.hpp"
#include "runtime/base/result.hpp"

namespace argosy::ctl {

/// The addresses of a provider.
struct provider {
  std::string device_url{};  ///< Where a login begins.
  std::string token_url{};   ///< Where tokens are given.
};

/// Asks the provider of the context for its addresses. ec::invalid_argument if the document is not
/// that of this issuer, ec::denied if the provider does not know the device flow, ec::unreachable
/// if it does not answer.
[[nodiscard]] result<provider> find_provider(const context& from,
                                             const access::fetch_function& fetch);

/// What the provider gives somebody who begins to log in.
struct device_code {
  std::string secret{};        ///< By this we ask whether he has finished.
  std::string user_code{};     ///< What he enters.
  std::string url{};           ///< Where he enters it.
  std::string complete_url{};  ///< The same with the code in it; may be empty.
  std::chrono::seconds good_for{};
  std::chrono::seconds interval{5};  ///< The least time between two questions.
};

/// Begins a login. ec::denied if the provider does not know the client.
[[nodiscard]] result<device_code> begin_login(const context& from, const provider& at,
                                              const access::fetch_function& fetch);

/// A token that proves who somebody is. Times are Unix times in seconds.
struct login_token {
  std::string token{};
  std::string refresh{};        ///< By this a new one is had; empty: it cannot be renewed.
  std::int64_t renew_at = 0;    ///< From then on it should be renewed; 0: it is not known.
  std::int64_t expires_at = 0;  ///< From then on nobody takes it; 0: it is not known.

  friend bool operator==(const login_token&, const login_token&) = default;
};

enum class login_state : std::uint8_t { done, pending, too_fast };

struct login_answer {
  login_state state = login_state::pending;
  login_token token{};  ///< A login that is done gives it.
};

/// Asks whether the user has finished. ec::denied if he has refused, or was too late, or may not
/// log in; ec::unreachable if the provider does not answer, which may pass.
[[nodiscard]] result<login_answer> poll_login(const context& from, const provider& at,
                                              const device_code& code, std::int64_t now,
                                              const access::fetch_function& fetch);

/// Renews a token. ec::denied if the provider does not want to.
[[nodiscard]] result<login_token> renew(const context& from, const provider& at,
                                        const login_token& old, std::int64_t now,
                                        const access::fetch_function& fetch);

}  // namespace argosy::ctl
