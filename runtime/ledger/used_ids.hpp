// SPDX-License-Identifier: Apache-2.0
// The used_ids of a queue are the ids that callers gave to jobs and requests, and the jobs that
// were made under them. All of them have one lifetime. Since they stay for days after their jobs
// have ended, the texts are not kept but a hash of 128 bits of each: an id takes 65 bytes in a
// table that is filled to between 44 % and 88 %.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/ledger/change.hpp"

namespace argosy::ledger {

struct used_id {
  ulid_range jobs;
  /// The further jobs, in order; null if there are none, as with nearly all requests.
  std::unique_ptr<const std::vector<ulid_range>> more;
  std::uint64_t body_hash = 0;
  std::int64_t used_ns = 0;

  [[nodiscard]] std::vector<ulid> all_jobs() const;
};

class used_ids {
 public:
  explicit used_ids(std::int64_t lifetime_ns) : lifetime_ns_(lifetime_ns) {}

  /// Null if the id was not used within its lifetime.
  [[nodiscard]] const used_id* find(id_kind kind, std::string_view id, std::int64_t now_ns) const;
  /// Replaces what was known of the id. The entry must have jobs.
  void note(const put_client_id& entry);
  /// Forgets ids whose lifetime is over, and returns how many.
  std::size_t prune(std::int64_t now_ns);

  [[nodiscard]] std::size_t size() const noexcept { return ids_.size(); }

 private:
  using id_hash = std::pair<std::uint64_t, std::uint64_t>;

  [[nodiscard]] static id_hash hash_of(id_kind kind, std::string_view id);
  [[nodiscard]] bool is_over(const used_id& id, std::int64_t now_ns) const {
    return now_ns - id.used_ns > lifetime_ns_;
  }

  std::int64_t lifetime_ns_;
  absl::flat_hash_map<id_hash, used_id> ids_;
};

}  // namespace argosy::ledger
