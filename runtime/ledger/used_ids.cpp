// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/used_ids.hpp"

#include <xxhash.h>

#include "runtime/base/check.hpp"

namespace argosy::ledger {

std::vector<ulid> used_id::all_jobs() const {
  auto out = ids_of({&jobs, 1});
  if (!more) return out;
  const auto others = ids_of(*more);
  out.insert(out.end(), others.begin(), others.end());
  return out;
}

used_ids::id_hash used_ids::hash_of(id_kind kind, std::string_view id) {
  const auto hash =
      XXH3_128bits_withSeed(id.data(), id.size(), static_cast<std::uint64_t>(kind) + 1);
  return {hash.high64, hash.low64};
}

const used_id* used_ids::find(id_kind kind, std::string_view id, std::int64_t now_ns) const {
  const auto found = ids_.find(hash_of(kind, id));
  return found == ids_.end() || is_over(found->second, now_ns) ? nullptr : &found->second;
}

void used_ids::note(const put_client_id& entry) {
  ARGOSY_CHECK(!entry.jobs.empty());
  used_id known{entry.jobs.front(), {}, entry.body_hash, entry.used_ns};
  if (entry.jobs.size() > 1)
    known.more =
        std::make_unique<const std::vector<ulid_range>>(entry.jobs.begin() + 1, entry.jobs.end());
  ids_.insert_or_assign(hash_of(entry.kind, entry.client_id), std::move(known));
}

std::size_t used_ids::prune(std::int64_t now_ns) {
  return absl::erase_if(ids_, [&](const auto& item) { return is_over(item.second, now_ns); });
}

}  // namespace argosy::ledger
