// SPDX-License-Identifier: Apache-2.0
// Control groups of version 1, for memory, cpu and processes: many machines still have those
// controllers there, where version 2 lacks them. They only limit; what contains a run's processes
// is its group of version 2. A path is that of a folder; an empty one stands for no group.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/base/result.hpp"

namespace argosy::backends {

/// The folder of this process's own group of a controller of version 1 ("memory", "cpu"), by its
/// tables; empty: there is none.
[[nodiscard]] std::string own_limit_group(std::string_view mountinfo, std::string_view cgroups,
                                          std::string_view controller);

/// Makes the group `name` below the own one of this process. Empty where it may not.
[[nodiscard]] std::string make_limit_base(const std::string& name, std::string_view controller);

/// Make a group with a limit; 0 is none. The error names the file.
result<void> make_memory_group(const std::string& path, std::int64_t bytes);
result<void> make_cpu_group(const std::string& path, std::int64_t millis);
result<void> make_pids_group(const std::string& path, std::int64_t pids_max);

/// Sets the quota of a group again, 0 to none.
result<void> limit_cpu_group(const std::string& path, std::int64_t millis);

/// How often the kernel killed a process of the group for lack of memory.
[[nodiscard]] std::int64_t memory_group_kills(const std::string& path);

}  // namespace argosy::backends
