// SPDX-License-Identifier: Apache-2.0
// What Kubernetes takes as names and values of labels; annotations and taints have the same names.
#pragma once

#include <string_view>

namespace argosy::model {

inline constexpr std::string_view label_value_words =
    "it has at most 63 letters, digits, '-', '_' and '.', and begins and ends with a letter or "
    "digit";
inline constexpr std::string_view label_name_words =
    "it has at most 63 letters, digits, '-', '_' and '.', begins and ends with a letter or digit, "
    "and may have a prefix such as example.com/";

[[nodiscard]] bool is_label_name(std::string_view text);
[[nodiscard]] bool is_label_value(std::string_view text);

}  // namespace argosy::model
