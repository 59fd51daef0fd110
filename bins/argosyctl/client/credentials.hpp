// SPDX-License-Identifier: Apache-2.0
// Finds the credentials of a server for argosyctl: the file that ARGOSY_CREDENTIALS names, else the
// one that the context names, else the one that the user's state folder keeps for that server.
#pragma once

#include <optional>
#include <string>

#include "bins/argosyctl/client/environment.hpp"
#include "runtime/access/credentials.hpp"

namespace argosy::ctl {

/// Returns nothing when there are none, which a server without users does not mind. A file that is
/// named or kept and cannot be used is an error that names it: ec::invalid_argument, ec::denied.
[[nodiscard]] result<std::optional<access::credentials>> find_credentials(
    const environment& env, const std::string& url, const std::string& of_context = {});

}  // namespace argosy::ctl
