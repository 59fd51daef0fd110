// SPDX-License-Identifier: Apache-2.0
// This file declares how inputs are changed at random. Of texts words and signs are changed as a
// whole, of messages fields at any depth, so that what comes of it is often read to its end.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "runtime/base/random.hpp"
#include "tests/fuzz/target.hpp"

namespace argosy::fuzz {

/// The most bytes that an input has.
inline constexpr std::size_t input_bytes_max = 8'192;

class mutator {
 public:
  mutator(const target& of, std::uint64_t seed)
      : what_(of.what), choice_bytes_(of.choice_bytes), random_(seed) {}

  /// The input after some changes, with parts of others among them. There has to be another one.
  [[nodiscard]] std::string changed(std::string_view from, std::span<const std::string> others);
  /// A number below `end`, which is not 0.
  [[nodiscard]] std::size_t below(std::size_t end) { return random_.next() % end; }

 private:
  void change(std::string& input, std::string_view other);
  void change_bytes(std::string& input, std::string_view other);
  void change_text(std::string& input, std::string_view other);
  void change_message(std::string& input, std::string_view other);

  form what_;
  std::size_t choice_bytes_;
  seeded_random random_;
};

}  // namespace argosy::fuzz
