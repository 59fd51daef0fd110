// SPDX-License-Identifier: Apache-2.0
// This file tells programs and the plots of the web page what rounds did in the last hours.
#pragma once

#include "messages/native/round_report.hpp"
#include "messages/proto/argosy/explain.pb.h"

namespace argosy::rounds {

/// The spans that the request asks for. The answer stays below a few MB, whatever it asks for.
[[nodiscard]] v1::ListRoundsResponse round_list(const native::round_report& from,
                                                const v1::ListRoundsRequest& asked);

}  // namespace argosy::rounds
