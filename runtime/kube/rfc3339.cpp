// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/rfc3339.hpp"

#include <absl/time/civil_time.h>
#include <absl/time/time.h>

#include <string>

namespace argosy::kube {

std::optional<wall_time> read_rfc3339(std::string_view text) {
  absl::Time when;
  std::string why;
  if (!absl::ParseTime(absl::RFC3339_full, {text.data(), text.size()}, &when, &why))
    return std::nullopt;
  // Much beyond these years nanoseconds do not fit into 64 bits.
  const auto year = absl::ToCivilYear(when, absl::UTCTimeZone()).year();
  if (year < 1700 || year > 2200) return std::nullopt;
  return from_nanos(absl::ToUnixNanos(when));
}

}  // namespace argosy::kube
