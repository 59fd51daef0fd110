// SPDX-License-Identifier: Apache-2.0
// The number of a frame of orders, by which an agent knows frames that come again. It is field 14
// on the wire and stands right before the signature.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/model/agent.hpp"

namespace argosy::actors {

class order_number {
 public:
  /// Appends the number to an encoded frame that is not signed yet.
  static void append(std::string& frame, std::uint64_t number) {
    frame += tag;
    for (unsigned shift = 0; shift < 64; shift += 8)
      frame += static_cast<char>((number >> shift) & 0xff);
  }

  /// Whether the frame, whose signature is valid, comes after all that were accepted under its
  /// claim. Frames of other claims are left to the EXECUTOR, which obeys only the highest.
  bool is_newer(std::string_view frame, const model::agent_orders& orders) {
    constexpr std::size_t signature_field_size = 66;
    if (frame.size() < signature_field_size + size) return false;
    const auto field = frame.substr(frame.size() - signature_field_size - size, size);
    if (field.front() != tag) return false;
    std::uint64_t number = 0;
    for (std::size_t i = 1; i < size; ++i)
      number |= std::uint64_t{static_cast<std::uint8_t>(field[i])} << (8 * (i - 1));
    if (orders.epoch > epoch_) {
      epoch_ = orders.epoch;
      nonce_ = orders.nonce;
      last_ = number;
      return true;
    }
    if (orders.epoch != epoch_ || orders.nonce != nonce_) return true;
    if (number <= last_) return false;
    last_ = number;
    return true;
  }

 private:
  static constexpr char tag = (14 << 3) | 1;  ///< fixed64
  static constexpr std::size_t size = 9;

  model::epoch epoch_;
  model::claim_nonce nonce_;
  std::uint64_t last_ = 0;
};

}  // namespace argosy::actors
