// SPDX-License-Identifier: Apache-2.0
// Variables of the environment that look as if they said a setting, and say none. Pure.
#pragma once

#include <string>
#include <vector>

namespace argosy::settings {

/// Variables beginning with ARGOSY_ (not ARGOSY_TEST_), ARGOSYD_ or ARGOSYCTL_ that name no setting
/// of either program nor of the client, and those beginning with OTEL_EXPORTER_OTLP_ that no
/// exporter has, with what may have been meant; for a warning. `names` as in the environment.
[[nodiscard]] std::vector<std::string> unknown_variables(const std::vector<std::string>& names);

}  // namespace argosy::settings
