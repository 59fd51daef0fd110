// SPDX-License-Identifier: Apache-2.0
// The records of a log, and the database of a store, as files that stand beside these tests. They
// are compressed with gzip; of a log each line is GENERATION MESSAGE-ID BYTES, the bytes in
// hexadecimal digits.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/eventlog/in_memory.hpp"

namespace argosy::testing {

struct kept_record {
  model::log_generation generation{1};
  std::string msg_id;
  std::string bytes;
};

[[nodiscard]] std::string read_compressed(const std::filesystem::path& file);
void write_compressed(const std::filesystem::path& file, const std::string& content);

[[nodiscard]] std::vector<kept_record> read_kept_log(const std::filesystem::path& file);
void write_kept_log(const std::filesystem::path& file, const std::vector<kept_record>& records);

/// A log in memory that has these records. The clock must outlive it.
[[nodiscard]] std::unique_ptr<eventlog::memory_log> log_of(const std::vector<kept_record>& records,
                                                           const clock_source& clock);

}  // namespace argosy::testing
