// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/https/retry_core.hpp"

#include <algorithm>

#include "runtime/base/whole_number.hpp"

namespace argosy::kube {

std::optional<std::chrono::milliseconds> retry_core::after(const try_end& end, boot_time now,
                                                           random_source& random) {
  ++tries_;
  // The server has done nothing with what it tells to come back, whatever it was.
  const bool told_to_come_back =
      (end.status == 429 || end.status == 503) && end.retry_after.has_value();
  const bool may_pass = end.status == 0 || end.status == 429 || end.status >= 500;
  if (end.final || tries_ >= rules_.tries_max) return std::nullopt;
  if (!told_to_come_back && !(safe_ && may_pass)) return std::nullopt;
  auto wait = backoff(rules_.waits, tries_, random);
  if (told_to_come_back) wait = std::max(wait, *end.retry_after);
  if (now + wait >= deadline_) return std::nullopt;
  return wait;
}

std::optional<std::chrono::milliseconds> read_retry_after(std::string_view value) {
  while (value.starts_with(' ')) value.remove_prefix(1);
  while (!value.empty() && static_cast<unsigned char>(value.back()) <= ' ') value.remove_suffix(1);
  const auto seconds = whole_number<std::uint32_t>(value);
  if (!seconds || *seconds > 86'400) return std::nullopt;
  return std::chrono::seconds{*seconds};
}

}  // namespace argosy::kube
