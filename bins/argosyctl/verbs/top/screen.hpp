// SPDX-License-Identifier: Apache-2.0
// A terminal that is drawn as a whole and gives its keys one by one. Tests put a scripted one in
// its place.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bins/argosyctl/output/table.hpp"

namespace argosy::ctl {

enum class key : std::uint8_t {
  character,
  up,
  down,
  left,
  right,
  page_up,
  page_down,
  home,
  end,
  enter,
  escape,
  backspace,
  resized  ///< No key: the terminal has another size.
};

struct key_press {
  key what = key::character;
  char letter = 0;  ///< The character, if it is one of ASCII that can be printed.
};

/// A line of the terminal; its parts stand side by side, and are cut where the terminal ends.
struct screen_line {
  std::vector<painted_part> parts{};
  bool chosen = false;  ///< The line is drawn in reverse, as the one on which keys act.
};

struct screen_size {
  std::size_t width = 80;
  std::size_t height = 24;
};

class screen {
 public:
  virtual ~screen() = default;
  [[nodiscard]] virtual screen_size size() const = 0;
  /// Draws the lines from the top of the terminal; what is below them becomes empty.
  virtual void show(const std::vector<screen_line>& lines) = 0;
  /// Waits so long for a key.
  [[nodiscard]] virtual std::optional<key_press> read(std::chrono::milliseconds patience) = 0;
};

}  // namespace argosy::ctl
