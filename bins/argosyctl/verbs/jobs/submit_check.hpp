// SPDX-License-Identifier: Apache-2.0
// This file declares what `submit --dry-run` does instead of submitting.
#pragma once

#include <string_view>
#include <vector>

#include "bins/argosyctl/verbs/jobs/submit_files.hpp"
#include "bins/argosyctl/verbs/session.hpp"

namespace argosy::ctl {

/// Says what each file holds. It needs no server.
[[nodiscard]] result<exit_code> check_here(session& s, const std::vector<named_file>& files);

/// Has the server check each request as if it were submitted, and says how many jobs of each file
/// would be accepted; what was accepted under the key is not. Every refusal is printed; the exit
/// code is that of the first. The server checks each request alone: limits that only the sum of
/// several requests exceeds are not seen.
[[nodiscard]] result<exit_code> check_on_server(session& s, client& server,
                                                const std::vector<named_file>& files,
                                                std::string_view key);

}  // namespace argosy::ctl
