// SPDX-License-Identifier: Apache-2.0
// The file of log lines. It follows its name: when the file was renamed or removed, as logrotate
// does, the next line opens the name anew. One thread at a time may use it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/base/result.hpp"

namespace argosy::logging {

class line_file {
 public:
  /// Makes the line that says how many are missing.
  using count_line = std::string (*)(std::uint64_t lost);

  /// Appends to the file, which is made if there is none. Waits for nobody, whatever the name
  /// stands for. ec::invalid_argument if it cannot be opened.
  [[nodiscard]] static result<line_file> open(const std::string& path, count_line lost_line);

  line_file(line_file&& from) noexcept;
  line_file& operator=(line_file&& from) noexcept;
  ~line_file();

  /// Writes the line and a line feed. A line for which there is no room is counted, and so is one
  /// for which there is no file, since it was removed with its folder; the first one that can be
  /// written again follows a line that says how many are missing.
  void write(std::string_view line);

  /// Opens the name anew if it does not name the open file any more; if it cannot be opened, the
  /// old file stays in use, and ec::invalid_argument says why.
  result<void> follow_name();

 private:
  line_file(std::string path, int descriptor, count_line lost_line);
  bool append(std::string_view text);
  /// The open file has no name any more.
  [[nodiscard]] bool is_removed() const;

  std::string path_;
  int descriptor_ = -1;
  count_line lost_line_;
  std::uint64_t lost_ = 0;  ///< How many lines could not be written since the last one that was.
  bool torn_ = false;       ///< The file ends within a line.
};

}  // namespace argosy::logging
