// SPDX-License-Identifier: Apache-2.0
// C lines of SNAP1: a round's configuration and parameters as keys and values. Keys have the names
// that they have in files, "eviction.probability"; lists of structs have forms of their own.
#pragma once

#include <string>
#include <string_view>

#include "runtime/base/result.hpp"
#include "runtime/scheduling/config.hpp"
#include "runtime/scheduling/round.hpp"

namespace argosy::scheduling::snap1 {

/// Applies one line. A burst sets the tokens as well, so that keys for tokens must come after it.
/// Fails with ec::invalid_argument for an unknown key or a bad value.
[[nodiscard]] result<void> read_setting(std::string_view key, std::string_view value, config& conf,
                                        round_params& params);

/// Writes the lines that set this configuration and these parameters, whatever was set before.
[[nodiscard]] std::string write_settings(const config& conf, const round_params& params);

/// A text without blanks and separators: other characters become '_' and two digits. Equal texts
/// stay equal, different ones different.
[[nodiscard]] std::string plain(std::string_view text);
/// The shortest decimal that reads back as the same number.
[[nodiscard]] std::string decimal(double number);
/// Writes fractions as 'a=0.5,b=1'.
[[nodiscard]] std::string write_fractions(const fraction_list& items);
[[nodiscard]] std::string write_taint(const taint& spot);
[[nodiscard]] std::string write_toleration(const toleration& tolerance);

}  // namespace argosy::scheduling::snap1
