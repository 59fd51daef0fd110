// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/client/new_id.hpp"

#include <random>

#include "runtime/base/ulid.hpp"

namespace argosy::ctl {

std::string new_id(std::int64_t now_ns) {
  std::random_device random;
  const auto half = [&random] { return std::uint64_t{random()} << 32 | random(); };
  const auto millis = static_cast<std::uint64_t>(now_ns / 1'000'000);
  return to_string(ulid_from_hash(millis, half(), half()));
}

}  // namespace argosy::ctl
