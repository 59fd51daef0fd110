// SPDX-License-Identifier: Apache-2.0
// Runs a program to its end and takes what it prints. It blocks its caller.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/result.hpp"

namespace argosy::kube {

struct program_run {
  std::string command{};  ///< A path, or a name that is looked for along PATH.
  std::vector<std::string> arguments{};
  /// Added to the environment of this process.
  std::vector<std::pair<std::string, std::string>> environment{};
  std::chrono::milliseconds within{};
  std::size_t output_bytes_max = std::size_t{1} << 20;
  /// A descriptor that becomes readable when the caller gives up; -1 for none.
  int stop_fd = -1;
};

/// What the program printed if it ended with exit code 0. Its standard input is empty, and its
/// standard error is that of this process. A program that does not end in time, or prints too
/// much, is killed with its process group. ec::not_found if there is no such program, ec::cancelled
/// if the caller gave up, else ec::denied; messages hold nothing that it printed.
[[nodiscard]] result<std::string> run_program(const program_run& what);

}  // namespace argosy::kube
