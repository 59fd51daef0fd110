// SPDX-License-Identifier: Apache-2.0
// The exit codes of argosyctl. Scripts rely on the numbers: they never change.
#pragma once

#include <cstdint>
#include <string_view>

#include "messages/proto/api/submit.pb.h"
#include "runtime/base/error.hpp"

namespace argosy::ctl {

enum class exit_code : std::uint8_t {
  success = 0,
  server_error = 1,
  usage = 2,  ///< Wrong arguments or content, found by argosyctl or by the server.
  not_found = 3,
  denied = 4,
  unreachable = 5,  ///< There is no server, nobody serves, or no answer came in time.
  conflict = 6,     ///< A thing exists already, or is in another state than needed.
  partial = 7,      ///< Some of a bulk request was done, some was not.
  incomplete = 8,   ///< Some of the output that was asked for is gone.
  job_failed = 10,
  job_cancelled = 11,
  job_preempted = 12,
  job_rejected = 13,
  timed_out = 124,
  interrupted = 130,
  reader_gone = 141,  ///< The code of a program that SIGPIPE ended: "argosyctl … | head".
};

/// The code of an error. The error on the wire may be Armada's (an unknown queue is "denied"
/// there).
[[nodiscard]] exit_code exit_code_of(const error& err);

/// The code of a job that was awaited; exit_code::success for one that has not ended badly.
[[nodiscard]] exit_code exit_code_of(api::JobState state);

/// The table of all codes, for --help.
[[nodiscard]] std::string_view exit_code_help();

}  // namespace argosy::ctl
