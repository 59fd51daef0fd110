// SPDX-License-Identifier: Apache-2.0
// Copies what the command writes into the run's output file, up to a limit. What comes after that
// is read and dropped, so that the command never waits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "runtime/backends/run/file.hpp"

namespace argosy::shim {

class output_file {
 public:
  output_file(const std::filesystem::path& path, std::int64_t size_max);

  /// Takes one piece from the pipe. Returns false once the pipe has ended.
  bool pump(int pipe);
  /// Takes all that is in the pipe now.
  void drain(int pipe);

  /// Says what was lost, for the user; empty if nothing was.
  [[nodiscard]] std::string note() const;

 private:
  void store(const char* data, std::size_t size);

  backends::unique_fd file_;
  std::int64_t room_;
  std::int64_t size_max_;
  std::int64_t dropped_ = 0;
  std::string failure_;
};

}  // namespace argosy::shim
