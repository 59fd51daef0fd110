// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/ulid_range.hpp"

namespace argosy {

ulid ulid_range::at(std::uint32_t index) const noexcept {
  auto id = first;
  std::uint64_t carry = index;
  // The first six bytes are a time, which does not count on.
  for (std::size_t i = 16; i-- > 6 && carry != 0; carry >>= 8) {
    carry += id.bytes[i];
    id.bytes[i] = static_cast<std::uint8_t>(carry & 0xff);
  }
  return id;
}

std::vector<ulid_range> ranges_of(std::span<const ulid> ids) {
  std::vector<ulid_range> out;
  for (const auto& id : ids)
    if (!out.empty() && out.back().at(out.back().count) == id)
      ++out.back().count;
    else
      out.push_back({id, 1});
  return out;
}

std::vector<ulid> ids_of(std::span<const ulid_range> ranges) {
  std::vector<ulid> out;
  for (const auto& range : ranges)
    for (std::uint32_t i = 0; i < range.count; ++i) out.push_back(range.at(i));
  return out;
}

}  // namespace argosy
