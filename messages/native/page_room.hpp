// SPDX-License-Identifier: Apache-2.0
// A list comes in pages, each of which has to fit into a frame of the bus. page_room counts what
// room is left in a page.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace argosy::native {

class page_room {
 public:
  static constexpr std::uint32_t items_max = 1'000;
  static constexpr std::size_t bytes_max = 4u << 20;

  /// Makes room for `wanted` items. 0, and any number above `most`, stands for `most`.
  explicit page_room(std::uint32_t wanted, std::uint32_t most = items_max)
      : items_(wanted == 0 ? most : std::min(wanted, most)) {}

  /// Whether an item of this many encoded bytes has room; if so, it takes the room. The first item
  /// always has room.
  [[nodiscard]] bool take(std::size_t bytes) {
    const bool first = bytes_ == bytes_max;
    if (items_ == 0 || (!first && bytes > bytes_)) return false;
    --items_;
    bytes_ -= std::min(bytes, bytes_);
    return true;
  }
  /// How many more items the page can take.
  [[nodiscard]] std::uint32_t items() const noexcept { return bytes_ == 0 ? 0 : items_; }

 private:
  std::uint32_t items_;
  std::size_t bytes_ = bytes_max;
};

}  // namespace argosy::native
