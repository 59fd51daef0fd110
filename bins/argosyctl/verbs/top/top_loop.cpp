// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/top/top_loop.hpp"

namespace argosy::ctl {

exit_code run_top(const session& s, screen& on, top_state& state, background_reader& reader) {
  constexpr std::chrono::milliseconds patience{50};
  const auto deadline = s.deadline();
  bool changed = true;
  while (!state.is_over()) {
    if (s.should_stop()) return exit_code::interrupted;
    if (deadline && std::chrono::steady_clock::now() >= *deadline) return exit_code::timed_out;
    reader.want(state.source());
    if (auto read = reader.take()) {
      state.take(read->first, std::move(read->second));
      changed = true;
    }
    if (changed) on.show(state.draw(on.size()));
    const auto pressed = on.read(patience);
    if (pressed) state.press(*pressed);
    changed = pressed.has_value();
  }
  return exit_code::success;
}

}  // namespace argosy::ctl
