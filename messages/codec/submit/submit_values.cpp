// SPDX-License-Identifier: Apache-2.0
// This file converts the values of a submission that others have to convert as well.
#include <array>
#include <cmath>
#include <limits>

#include "messages/codec/submit/submit_codec.hpp"

namespace argosy::codec {

std::string replace_job_id(std::string_view text, std::string_view id) {
  static constexpr std::array<std::string_view, 2> marks{"{{JobId}}", "{JobId}"};
  std::string out;
  while (!text.empty()) {
    const auto next = text.find('{');
    out += text.substr(0, next);
    if (next == std::string_view::npos) break;
    text.remove_prefix(next);
    if (text.starts_with(marks[0])) {
      out += "JobId";
      text.remove_prefix(marks[0].size());
    } else if (text.starts_with(marks[1])) {
      out += id;
      text.remove_prefix(marks[1].size());
    } else {
      out += text.front();
      text.remove_prefix(1);
    }
  }
  return out;
}

std::uint32_t to_priority(double priority) noexcept {
  constexpr auto largest = std::numeric_limits<std::uint32_t>::max();
  if (!(priority > 0)) return 0;
  if (priority >= static_cast<double>(largest)) return largest;
  return static_cast<std::uint32_t>(std::round(priority));
}

}  // namespace argosy::codec
