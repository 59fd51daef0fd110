// SPDX-License-Identifier: Apache-2.0
// A program that is run to its end, or until it takes too long.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "runtime/base/result.hpp"

namespace argosy::backends {

struct child_end {
  int exit_code = 0;
  std::string out;  ///< The beginning of its stdout.
  std::string err;  ///< The end of its stderr.
};

/// Runs the program and waits. It dies with this thread, and is killed after `limit`, which fails
/// with ec::timeout, or once `obstacle` gives an error, which is asked for again and again.
[[nodiscard]] result<child_end> run_child(const std::vector<std::string>& words,
                                          std::chrono::milliseconds limit,
                                          const std::function<result<void>()>& obstacle);

/// The path of a program among the folders of PATH and those where root's programs are; empty: it
/// is not there.
[[nodiscard]] std::string find_program(const std::string& name);

}  // namespace argosy::backends
