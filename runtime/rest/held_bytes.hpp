// SPDX-License-Identifier: Apache-2.0
// This file declares how it is counted what all bodies hold.
#pragma once

#include <atomic>
#include <cstddef>

namespace argosy::rest {

/// Counts the bytes of a body as long as it is held.
class held_bytes {
 public:
  explicit held_bytes(std::atomic<std::size_t>& all) : all_(all) {}
  held_bytes(const held_bytes&) = delete;
  held_bytes& operator=(const held_bytes&) = delete;
  ~held_bytes() { all_ -= mine_; }

  /// Returns false, and counts nothing, if all had more than `most` then.
  bool add(std::size_t size, std::size_t most) {
    if ((all_ += size) > most) {
      all_ -= size;
      return false;
    }
    mine_ += size;
    return true;
  }

 private:
  std::atomic<std::size_t>& all_;
  std::size_t mine_ = 0;
};

}  // namespace argosy::rest
