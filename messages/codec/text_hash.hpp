// SPDX-License-Identifier: Apache-2.0
// Hash maps keyed by text or bytes that others choose. Keys are looked up without a copy; each
// process has a seed of its own, so that nobody can prepare keys that collide.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <xxhash.h>

#include <functional>
#include <random>
#include <string>
#include <string_view>

namespace argosy::codec {

struct text_hash {
  using is_transparent = void;

  [[nodiscard]] std::size_t operator()(std::string_view text) const noexcept {
    static const std::uint64_t seed = std::random_device{}();
    return XXH3_64bits_withSeed(text.data(), text.size(), seed);
  }
};

template <class Key, class Value>
using text_map = absl::flat_hash_map<Key, Value, text_hash, std::equal_to<>>;

}  // namespace argosy::codec
