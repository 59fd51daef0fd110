// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/client/credentials.hpp"

#include <utility>

namespace argosy::ctl {

namespace {

result<std::optional<access::credentials>> of_user(access::credentials found,
                                                   const std::string& file) {
  if (found.who.what == access::party::user) return std::optional{std::move(found)};
  return fail(ec::invalid_argument, "'" + file + "' has the credentials of " +
                                        to_string(found.who) + "; argosyctl needs those of a user");
}

}  // namespace

result<std::optional<access::credentials>> find_credentials(const environment& env,
                                                            const std::string& url,
                                                            const std::string& of_context) {
  if (const auto named = env.variable("ARGOSY_CREDENTIALS")) {
    auto found = access::read_credentials(*named);
    if (found) return of_user(std::move(*found), *named);
    return fail(ec::invalid_argument, "ARGOSY_CREDENTIALS: " + found.error().detail);
  }
  if (!of_context.empty()) {
    auto found = access::read_credentials(of_context);
    if (found) return of_user(std::move(*found), of_context);
    return fail(found.error().code == ec::denied ? ec::denied : ec::invalid_argument,
                "the context's credentials: " + found.error().detail);
  }
  // A URL that says who logs in needs nothing else.
  if (url.find('@') != std::string::npos) return std::optional<access::credentials>{};
  const auto kept = access::kept_credentials(env.state_dir(), url);
  if (kept.empty()) return std::optional<access::credentials>{};
  auto found = access::read_credentials(kept);
  if (found) return of_user(std::move(*found), kept.string());
  if (found.error().code == ec::not_found) return std::optional<access::credentials>{};
  return fail(std::move(found.error()));
}

}  // namespace argosy::ctl
