// SPDX-License-Identifier: Apache-2.0
#include "messages/view/job_sets.hpp"

#include <absl/strings/escaping.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "messages/view/job_set_counts.hpp"
#include "messages/view/view_keys.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::view {

namespace {

/// What a summary takes besides the names.
constexpr std::size_t summary_bytes = 200;

bool is_active(const native::job_set_summary& set) {
  return std::any_of(set.jobs.begin(), set.jobs.end(),
                     [](const auto& count) { return !model::is_terminal(count.first); });
}

/// The cursor behind the set with this key.
std::string cursor_of(std::string_view key) {
  const auto queue = key.substr(0, key.size() - hash_size - 1);
  const std::string hash{key.substr(queue.size() + 1)};
  return std::string{queue} + ':' + absl::BytesToHexString(hash);
}

/// The first key that may come behind the set with which the page before ended.
result<std::string> key_behind(const std::string& place) {
  const auto colon = place.rfind(':');
  const auto digits = colon == std::string::npos ? std::string{} : place.substr(colon + 1);
  if (digits.size() != 2 * hash_size ||
      digits.find_first_not_of("0123456789abcdef") != std::string::npos)
    return fail(ec::invalid_argument,
                "'" + place.substr(0, 60) + "' is no cursor of a list of job sets");
  auto key = place.substr(0, colon);
  key.append(1, '\0').append(absl::HexStringToBytes(digits)).append(1, '\0');
  return key;
}

}  // namespace

result<native::job_set_page> job_sets(store::read_txn& txn, const native::list_job_sets& query,
                                      const job_set_bounds& bounds) {
  std::string from;
  if (!query.after.empty()) {
    auto behind = key_behind(query.after);
    if (!behind) return fail(behind.error());
    from = std::move(*behind);
  }
  native::job_set_page page;
  std::size_t bytes = 0;
  std::size_t looked_at = 0;
  std::string last;
  result<void> outcome;
  const auto of_queue = query.queue.empty() ? std::string{} : query.queue.str() + '\0';
  auto scanned = store::scan(
      txn, store::table::set_counts, of_queue,
      [&](const store::entry& entry) {
        const bool full = page.sets.size() >= bounds.sets || bytes >= bounds.bytes ||
                          looked_at >= bounds.looked_at;
        if (full) {
          page.next = cursor_of(last);
          return false;
        }
        ++looked_at;
        last = entry.key;
        auto set = decode_counts(entry);
        if (!set) {
          outcome = fail(set.error());
          return false;
        }
        if (query.active_only && !is_active(*set)) return true;
        bytes += summary_bytes + set->queue.size() + set->job_set.size();
        page.sets.push_back(std::move(*set));
        return true;
      },
      from);
  if (!scanned) return fail(scanned.error());
  if (!outcome) return fail(outcome.error());
  std::sort(page.sets.begin(), page.sets.end(), [](const auto& a, const auto& b) {
    return std::tie(a.queue, a.job_set) < std::tie(b.queue, b.job_set);
  });
  return page;
}

}  // namespace argosy::view
