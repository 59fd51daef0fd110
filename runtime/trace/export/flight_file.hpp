// SPDX-License-Identifier: Apache-2.0
// The flight file is a file of fixed size that a process has mapped, with its last spans. The
// kernel keeps it when the process ends in whatever way, so that the next start can say what went
// on before a crash, and nothing has to be done while the process crashes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/trace/finished_span.hpp"

namespace argosy::trace {

class flight_file {
 public:
  /// How many spans there are; the oldest give way.
  static constexpr std::size_t spans_max = 8'192;

  /// Opens the file, which is made if it is not there. Its spans stay until clear().
  [[nodiscard]] static result<std::unique_ptr<flight_file>> open(const std::filesystem::path& path);
  ~flight_file();
  flight_file(const flight_file&) = delete;
  flight_file& operator=(const flight_file&) = delete;

  /// Long names are cut, and attributes are left out. One thread at a time.
  void add(const std::vector<finished_span>& spans) noexcept;
  /// The spans, oldest first. What is damaged is left out.
  [[nodiscard]] std::vector<finished_span> spans() const;
  void clear() noexcept;

 private:
  struct content;
  explicit flight_file(content* at) : at_(at) {}

  content* at_;
};

}  // namespace argosy::trace
