// SPDX-License-Identifier: Apache-2.0
// This file converts ranges of ids between the model and argosy.log.v1.
#include "messages/codec/log/log_values.hpp"

namespace argosy::codec {

namespace {

/// No request of 8 MiB can have so many jobs.
constexpr std::uint32_t range_ids_max = 1U << 24U;

}  // namespace

void to_wire(const ulid_range& range, log::v1::IdRange& out) {
  const auto id = to_wire(range.first);
  out.set_first(id.data(), id.size());
  out.set_count(range.count);
}

result<ulid_range> from_wire(const log::v1::IdRange& in) {
  const auto first = ulid_from_wire(in.first());
  if (!first) return fail(first.error());
  if (in.count() == 0 || in.count() > range_ids_max)
    return fail(ec::corrupt, "a range of " + std::to_string(in.count()) + " ids");
  return ulid_range{*first, in.count()};
}

}  // namespace argosy::codec
