// SPDX-License-Identifier: Apache-2.0
// This file reads stdin for verbs. A stdin that is closed, is a directory or breaks is an error and
// never an empty input, which a verb could take for "no jobs" or "no settings".
#pragma once

#include <cstddef>
#include <istream>
#include <string>

#include "runtime/base/result.hpp"

namespace argosy::ctl {

/// Reads what a user named: a file, or stdin for "-". Errors are those of read_file().
[[nodiscard]] result<std::string> read_input(std::istream& in, const std::string& name,
                                             std::size_t size_max);

/// Reads a line of stdin without its end; it is empty where the input has ended.
/// ec::invalid_argument when stdin cannot be read.
[[nodiscard]] result<std::string> read_input_line(std::istream& in);

/// Fails with ec::invalid_argument if reading has failed otherwise than by the end of the input.
[[nodiscard]] result<void> check_input(const std::istream& in);

}  // namespace argosy::ctl
