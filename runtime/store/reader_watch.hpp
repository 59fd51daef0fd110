// SPDX-License-Identifier: Apache-2.0
// A reader_watch knows for how long readers have seen the commit that they see, which the database
// does not.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/store/database.hpp"

namespace argosy::store {

struct old_reader {
  reader who;
  boot_time age{};  ///< It is at least so old; nobody looked before.
};

class reader_watch {
 public:
  /// Takes note of the readers that there are `now`, and returns those that have been there for at
  /// least `age_min`, oldest first.
  [[nodiscard]] std::vector<old_reader> look(const std::vector<reader>& all, boot_time now,
                                             boot_time age_min);

 private:
  using name = std::pair<std::int64_t, std::string>;  ///< Process and thread.
  struct sight {
    std::uint64_t commit = 0;
    boot_time since{};
  };
  /// A thread may have several transactions; its oldest one counts.
  std::map<name, sight> seen_;
};

}  // namespace argosy::store
