// SPDX-License-Identifier: Apache-2.0
// A small file that somebody else replaces now and then: tokens, certificates.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"

namespace argosy::kube {

class watched_file {
 public:
  explicit watched_file(std::string path) : path_(std::move(path)) {}

  /// Reads it, at most `bytes_max`. ec::denied names the file and why, since without it there are
  /// no credentials.
  [[nodiscard]] result<std::string> read(std::size_t bytes_max = std::size_t{1} << 20);

  /// Whether it is another file, or of another time or size, than when it was read.
  [[nodiscard]] bool changed() const;

 private:
  /// What tells two contents of a file apart without reading them.
  struct stamp {
    std::uint64_t device = 0;
    std::uint64_t number = 0;
    std::int64_t size = -1;
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;
    friend bool operator==(const stamp&, const stamp&) = default;
  };
  template <class Stat>
  [[nodiscard]] static stamp stamp_of(const Stat& from);

  std::string path_;
  stamp read_{};
};

}  // namespace argosy::kube
