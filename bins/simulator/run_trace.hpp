// SPDX-License-Identifier: Apache-2.0
// The trace of a simulated run: a line for each thing that happens. Its digest tells whether two
// runs were the same; a file has the lines for whoever looks for the difference.
#pragma once

#include <xxhash.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

namespace argosy::sim {

class run_trace {
 public:
  /// Without a file only the digest is kept.
  explicit run_trace(const std::string& file) : digest_(XXH3_createState()) {
    XXH3_64bits_reset(digest_.get());
    if (!file.empty()) out_.open(file, std::ios::trunc);
  }

  void add(std::chrono::nanoseconds when, std::string_view who, std::string_view what) {
    line_ = std::to_string(when.count());
    line_.append(" ").append(who).append(" ").append(what).append("\n");
    XXH3_64bits_update(digest_.get(), line_.data(), line_.size());
    if (out_.is_open()) out_ << line_;
  }

  [[nodiscard]] std::uint64_t digest() const { return XXH3_64bits_digest(digest_.get()); }

 private:
  struct free_state {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };

  std::unique_ptr<XXH3_state_t, free_state> digest_;
  std::ofstream out_;
  std::string line_;
};

}  // namespace argosy::sim
