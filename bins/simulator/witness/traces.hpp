// SPDX-License-Identifier: Apache-2.0
// This file declares what jobs themselves write while they run. Each process of a job appends lines
// to the file of its job in a folder of witnesses: "RUN TOKEN WHAT BOOT", where TOKEN is a random
// number of the process, WHAT is start, beat or end, and BOOT is CLOCK_BOOTTIME in nanoseconds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace argosy::witness {

/// One process that executed a job's command. It certainly lived from `first_ns` to `last_ns`.
struct process_trace {
  std::uint32_t run = 0;
  std::string token{};
  std::int64_t first_ns = 0;  ///< CLOCK_BOOTTIME.
  std::int64_t last_ns = 0;
  bool ended = false;  ///< It came to its own end.

  friend bool operator==(const process_trace&, const process_trace&) = default;
};

/// The processes of each job, by the job's id.
using traces = std::map<std::string, std::vector<process_trace>>;

/// The processes that a file tells of, in the order of their first lines. A line that was cut short
/// is left out.
[[nodiscard]] std::vector<process_trace> parse_trace(std::string_view text);

/// Reads the files of the folder, whose names are the jobs' ids.
[[nodiscard]] traces read_traces(const std::filesystem::path& folder);

}  // namespace argosy::witness
