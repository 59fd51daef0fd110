// SPDX-License-Identifier: Apache-2.0
// Characters that no text of a user may hold, since terminals and logs would act on them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace argosy::yaml {

/// The first control character of a UTF-8 text: C0 but tab and line feed, DEL, and C1.
[[nodiscard]] std::optional<std::size_t> find_control_character(std::string_view text) noexcept;

/// How to name the one at this position to a person: "U+001B".
[[nodiscard]] std::string name_control_character(std::string_view text, std::size_t position);

}  // namespace argosy::yaml
