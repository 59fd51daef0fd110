// SPDX-License-Identifier: Apache-2.0
// Makes lines of pieces of a stream. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace argosy::kube {

class line_splitter {
 public:
  explicit line_splitter(std::size_t line_bytes_max) : most_(line_bytes_max) {}

  /// Calls `take(line)` for each line that is complete now, until it returns false; the rest is
  /// forgotten then. False if a line is longer than allowed.
  template <class Take>
  [[nodiscard]] bool feed(std::string_view piece, Take take) {
    while (true) {
      const auto end = piece.find('\n');
      const auto some = piece.substr(0, end);
      if (held_.size() + some.size() > most_) return false;
      if (end == std::string_view::npos) {
        held_.append(some);
        return true;
      }
      piece.remove_prefix(end + 1);
      bool more = true;
      if (held_.empty()) {
        more = take(some);
      } else {
        held_.append(some);
        more = take(std::string_view{held_});
        held_.clear();
      }
      if (!more) return true;
    }
  }

  void clear() { held_.clear(); }

 private:
  std::size_t most_;
  std::string held_;
};

}  // namespace argosy::kube
