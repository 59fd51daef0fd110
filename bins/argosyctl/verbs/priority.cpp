// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/priority.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <limits>

namespace argosy::ctl {

result<double> parse_priority(const std::string& text) {
  double out = 0;
  const auto* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, out, std::chars_format::fixed);
  if (read.ec != std::errc{} || read.ptr != end || !(out >= 0) ||
      out > std::numeric_limits<std::uint32_t>::max())
    return fail(ec::invalid_argument,
                fmt::format("'{}' is no priority; it is a number from 0 to 4294967295", text));
  return out;
}

}  // namespace argosy::ctl
