// SPDX-License-Identifier: Apache-2.0
// A refusal_book knows what the server refuses a connection while that works, as after it was given
// other rights. A subscription that was refused is lost, and has to be made again to learn whether
// it is refused still. Pure.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/bus/connection.hpp"

namespace argosy::bus {

class refusal_book {
 public:
  using time = std::chrono::steady_clock::time_point;

  /// Returns whether the refusal was not known.
  bool note(std::string_view subject, bool hears, time now) {
    for (auto& known : all_)
      if (known.what.hears == hears && known.what.subject == subject) {
        known.refused = now;
        return false;
      }
    if (all_.size() == count_max) make_room();
    all_.push_back({{std::string{subject}, hears}, now, {}});
    return true;
  }

  /// Returns the subscriptions to make again now. One that was made again and not refused since is
  /// forgotten, as is what was refused to be sent a while ago.
  [[nodiscard]] std::vector<std::string> due(time now) {
    std::erase_if(all_, [now](const entry& known) {
      if (!known.what.hears) return now - known.refused >= memory;
      return known.tried > known.refused && now - known.tried >= pause;
    });
    std::vector<std::string> out;
    for (auto& known : all_)
      if (known.what.hears && now - std::max(known.refused, known.tried) >= pause) {
        known.tried = now;
        out.push_back(known.what.subject);
      }
    return out;
  }

  /// Nobody wants to hear it any more.
  void forget(std::string_view pattern) {
    std::erase_if(all_, [pattern](const entry& known) {
      return known.what.hears && known.what.subject == pattern;
    });
  }

  [[nodiscard]] std::vector<refusal> all() const {
    std::vector<refusal> out;
    for (const auto& known : all_) out.push_back(known.what);
    return out;
  }

 private:
  static constexpr std::size_t count_max = 16;
  static constexpr std::chrono::seconds pause{5};
  static constexpr std::chrono::seconds memory{60};

  struct entry {
    refusal what;
    time refused;
    time tried;  ///< When it was made again; before all times: never.
  };

  /// Every reply has a subject of its own, so that refused ones may be many. They must not oust
  /// what has to be subscribed again.
  void make_room() {
    const auto sent =
        std::ranges::find(all_, false, [](const entry& one) { return one.what.hears; });
    all_.erase(sent == all_.end() ? all_.begin() : sent);
  }

  std::vector<entry> all_;  ///< In the order in which they were refused first.
};

}  // namespace argosy::bus
