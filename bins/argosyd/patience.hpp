// SPDX-License-Identifier: Apache-2.0
// How argosyd waits for a server that does not answer: it tries again after growing pauses, and
// says so ever more rarely.
#pragma once

#include <algorithm>
#include <chrono>

namespace argosy::argosyd {

class patience {
 public:
  using ms = std::chrono::milliseconds;
  static constexpr ms pause_min{250};
  static constexpr ms pause_max{5'000};
  static constexpr ms silence_min{10'000};
  static constexpr ms silence_max{300'000};

  /// What to do after an attempt that failed.
  struct advice {
    ms pause;   ///< The time to wait before the next attempt.
    bool tell;  ///< Whether it is time to say that the server is still absent.
  };

  /// `waited` is the time since the first attempt began; it must not fall between calls.
  advice failed(ms waited) {
    const advice out{pause_, waited >= tell_at_};
    pause_ = std::min(2 * pause_, pause_max);
    if (out.tell) tell_at_ = waited + std::clamp(waited, silence_min, silence_max);
    return out;
  }

 private:
  ms pause_ = pause_min;
  ms tell_at_{0};
};

}  // namespace argosy::argosyd
