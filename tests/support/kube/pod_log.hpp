// SPDX-License-Identifier: Apache-2.0
// The output of a container as a kubelet has it: lines with their times, of which rotation takes
// the first ones away.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>

namespace argosy::testing {

class pod_log {
 public:
  using query = std::map<std::string, std::string>;

  /// Lines that begin in the text have this time, Unix time, or that of the line before them if
  /// that is later.
  void print(std::string_view text, std::int64_t time_ns);
  /// Takes all whole lines away.
  void rotate();
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  /// What a server answers to a request with timestamps, tailLines, sinceTime and limitBytes.
  [[nodiscard]] std::string read(const query& options) const;
  /// What came behind the first `lines` lines that there ever were. `lines` is then how many there
  /// were by now; one that has no end yet is left out.
  [[nodiscard]] std::string read_on(std::uint64_t& lines, bool timestamps) const;
  /// How many whole lines there ever were, and how many of them were taken away.
  [[nodiscard]] std::uint64_t lines() const;
  [[nodiscard]] std::uint64_t gone() const noexcept { return gone_; }

 private:
  struct line {
    std::int64_t time_ns = 0;
    std::string text;
  };
  [[nodiscard]] static std::string shown(const line& of, bool timestamps);

  std::deque<line> lines_;
  std::uint64_t gone_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace argosy::testing
