// SPDX-License-Identifier: Apache-2.0
// A folder with the rounds whose plan failed its self-check, so that argosy-sim can decide them
// again. One thread uses it at a time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "runtime/base/result.hpp"
#include "runtime/scheduling/round.hpp"

namespace argosy::argosyd {

class kept_rounds {
 public:
  /// The folder is made when it is first needed. At most `limit` files stay; the oldest goes first.
  explicit kept_rounds(std::filesystem::path folder, std::size_t limit = 4)
      : folder_(std::move(folder)), limit_(limit) {}

  /// Writes NUMBER.snap, complete or not at all, and returns its path. `why` becomes a comment in
  /// it. ec::denied if the folder cannot be written.
  result<std::filesystem::path> add(const scheduling::snapshot& from,
                                    const scheduling::config& conf,
                                    const scheduling::round_params& params,
                                    const std::string& why) const;

 private:
  std::filesystem::path folder_;
  std::size_t limit_;
};

}  // namespace argosy::argosyd
