// SPDX-License-Identifier: Apache-2.0
// Which headers of the API transports of this process hand on, each in its own way. Who calls
// stands in headers of the bus as well, so that no other name of a caller may be taken.
#pragma once

#include <array>
#include <string_view>

#include "runtime/bus/headers.hpp"

namespace argosy::bus {

namespace header {

/// "usual": jobs that name no namespace get one. Without it they are refused, as Armada has it.
inline constexpr std::string_view name_space = "argosy-namespace";

}  // namespace header

/// The headers that a caller may set himself, such as argosy-mode.
inline constexpr std::array callers_choice{header::mode,      header::expect,    header::owners,
                                           header::from,      header::operation, header::key,
                                           header::name_space};
/// The headers in which the API says more than its answer, such as argosy-version.
inline constexpr std::array told_beside{header::version, header::partial, header::jobs,
                                        header::note, header::operation};

}  // namespace argosy::bus
