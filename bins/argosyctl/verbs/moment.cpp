// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/moment.hpp"

#include <fmt/format.h>

#include <chrono>

#include "messages/codec/api/search_fields.hpp"
#include "runtime/base/duration.hpp"

namespace argosy::ctl {

result<std::int64_t> moment_of(const std::string& text, const char* flag, std::int64_t now_ns) {
  if (text.empty()) return 0;
  if (const auto moment = codec::parse_search_time(text)) return *moment;
  if (const auto ago = parse_duration(text)) return now_ns - std::chrono::nanoseconds{*ago}.count();
  return fail(ec::invalid_argument,
              fmt::format("{} takes how long ago, such as 2h, or a moment in UTC, such as "
                          "2026-11-20 or 2026-11-20T15:04:05Z, not '{}'",
                          flag, text));
}

}  // namespace argosy::ctl
