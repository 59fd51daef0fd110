// SPDX-License-Identifier: Apache-2.0
// This file declares what the verbs share that change settings of a running server: how a change is
// asked for, and how it is told what changed.
#pragma once

#include <string>
#include <string_view>

#include "bins/argosyctl/client/client.hpp"
#include "bins/argosyctl/output/exit_code.hpp"
#include "bins/argosyctl/verbs/session.hpp"
#include "messages/proto/argosy/settings.pb.h"

namespace argosy::ctl {

/// Asks for the change. If it is unknown whether it was done, the error says where to look.
[[nodiscard]] result<argosy::v1::ChangeSettingsResponse> update_settings(
    client& server, const argosy::v1::UpdateSettingsRequest& request);

/// "scheduling.maxNewDecisions: 0 -> 7".
[[nodiscard]] std::string text_of(const argosy::v1::ChangedSetting& key);
/// The version as history and records of rounds name it.
[[nodiscard]] std::string version_text_of(std::uint64_t version);

/// Prints each line of the error as one, since a server tells all mistakes at once.
[[nodiscard]] exit_code report_lines(session& s, const error& why);

/// Says on stderr what of the new settings is probably not meant.
void print_warnings(session& s, const argosy::v1::ChangeSettingsResponse& done);

/// Prints which keys change or would change, and which of them the file says otherwise, or why
/// nothing changes.
[[nodiscard]] exit_code report_change(session& s,
                                      const result<argosy::v1::ChangeSettingsResponse>& done);

}  // namespace argosy::ctl
