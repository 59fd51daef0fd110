// SPDX-License-Identifier: Apache-2.0
// A screen of `top` shows this: the server told it at one time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bins/argosyctl/verbs/listing.hpp"

namespace argosy::ctl {

struct screen_content {
  std::optional<listing> list{};   ///< Absent: the source gives text, or nothing could be read.
  std::string text{};              ///< Lines without colours.
  std::optional<error> trouble{};  ///< Why nothing could be read; absent: it was read.
  std::int64_t read_ns = 0;        ///< The Unix time at which it was read.
};

}  // namespace argosy::ctl
