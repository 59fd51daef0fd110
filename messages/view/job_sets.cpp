// SPDX-License-Identifier: Apache-2.0
#include "messages/view/job_sets.hpp"

#include <absl/strings/escaping.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "messages/view/store_codec.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::view {

namespace {

constexpr std::size_t id_size = 16;
/// What a summary takes besides the names.
constexpr std::size_t summary_bytes = 200;

/// Finds jobs by ids that mostly come in ascending order, as those of one job set do. Each of these
/// takes one step of a cursor instead of a search.
class job_finder {
 public:
  static result<job_finder> open(store::read_txn& txn) {
    job_finder out;
    for (std::size_t i = 0; i < out.tables_.size(); ++i) {
      auto opened = txn.open_cursor(i == 0 ? store::table::jobs_live : store::table::jobs_done);
      if (!opened) return fail(opened.error());
      out.tables_[i].cursor = std::move(*opened);
    }
    return out;
  }

  /// Returns the job's record, or nothing when there is no such job. It is valid until the next
  /// call.
  result<std::optional<std::string_view>> find(std::string_view id) {
    for (auto& table : tables_) {
      auto found = table.find(id);
      if (!found || *found) return found;
    }
    return std::optional<std::string_view>{};
  }

 private:
  struct walked_table {
    std::unique_ptr<store::cursor> cursor;
    std::optional<store::entry> head;
    std::string taken;  ///< The key before the head; empty if nothing is known of it.

    result<std::optional<std::string_view>> find(std::string_view id) {
      const bool beyond = !taken.empty() && taken < id && (!head || head->key > id);
      if (beyond) return std::optional<std::string_view>{};
      if (!head || head->key != id)
        if (auto moved = move(cursor->seek(id)); !moved) return fail(moved.error());
      taken = id;
      if (!head || head->key != id) return std::optional<std::string_view>{};
      const auto value = head->value;
      if (auto moved = move(cursor->next()); !moved) return fail(moved.error());
      return std::optional{value};
    }
    result<void> move(result<std::optional<store::entry>> to) {
      if (!to) return fail(to.error());
      head = *to;
      return {};
    }
  };

  std::array<walked_table, 2> tables_;
};

void add(const model::job_record& job, native::job_set_summary& set) {
  const auto& header = *job.header;
  if (set.jobs.empty()) {
    set.queue = header.queue;
    set.job_set = header.job_set;
    set.submitted_ns = header.submitted_ns;
  }
  ++set.jobs[job.state];
  set.submitted_ns = std::min(set.submitted_ns, header.submitted_ns);
  set.changed_ns = std::max(set.changed_ns, job.changed_ns);
}

bool is_active(const native::job_set_summary& set) {
  return std::any_of(set.jobs.begin(), set.jobs.end(),
                     [](const auto& count) { return !model::is_terminal(count.first); });
}

/// One page while it is being filled.
class page_writer {
 public:
  page_writer(const native::list_job_sets& query, const job_set_bounds& bounds)
      : active_only_(query.active_only), bounds_(bounds) {}

  /// Counts a job of the set whose keys have this prefix.
  void add_job(std::string_view prefix, const model::job_record& job) {
    prefix_ = prefix;
    add(job, open_);
    ++jobs_;
  }
  /// Whether the page can take a set with this prefix, which may be the one that is open.
  [[nodiscard]] bool takes(std::string_view prefix) {
    if (prefix == prefix_) return true;
    close();
    return out_.sets.size() < bounds_.sets && bytes_ < bounds_.bytes && jobs_ < bounds_.jobs;
  }
  /// Ends the page; `next` says that the following set does not fit.
  [[nodiscard]] native::job_set_page finish(bool next) {
    close();
    if (next)
      out_.next = prefix_.substr(0, prefix_.size() - hash_size - 1) + ':' +
                  absl::BytesToHexString(prefix_.substr(prefix_.size() - hash_size));
    std::sort(out_.sets.begin(), out_.sets.end(), [](const auto& a, const auto& b) {
      return std::tie(a.queue, a.job_set) < std::tie(b.queue, b.job_set);
    });
    return std::move(out_);
  }

 private:
  void close() {
    auto done = std::exchange(open_, {});
    if (done.jobs.empty() || (active_only_ && !is_active(done))) return;
    bytes_ += summary_bytes + done.queue.size() + done.job_set.size();
    out_.sets.push_back(std::move(done));
  }

  bool active_only_;
  job_set_bounds bounds_;
  native::job_set_page out_;
  native::job_set_summary open_;
  std::string prefix_;  ///< The prefix of the keys of the set that is or was open.
  std::size_t bytes_ = 0;
  std::size_t jobs_ = 0;
};

/// The key behind all keys of the set with which the page before ended.
result<std::string> key_behind(const std::string& place) {
  const auto colon = place.rfind(':');
  const auto digits = colon == std::string::npos ? std::string{} : place.substr(colon + 1);
  if (digits.size() != 2 * hash_size ||
      digits.find_first_not_of("0123456789abcdef") != std::string::npos)
    return fail(ec::invalid_argument,
                "'" + place.substr(0, 60) + "' is no cursor of a list of job sets");
  auto key = place.substr(0, colon);
  key.append(1, '\0').append(absl::HexStringToBytes(digits)).append(id_size + 1, '\xff');
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
  auto jobs = job_finder::open(txn);
  if (!jobs) return fail(jobs.error());
  page_writer page{query, bounds};
  bool full = false;
  result<void> outcome;
  const auto of_queue = query.queue.empty() ? std::string{} : query.queue + '\0';
  auto scanned = store::scan(
      txn, store::table::job_sets, of_queue,
      [&](const store::entry& entry) {
        const auto prefix = entry.key.substr(0, entry.key.size() - id_size);
        full = !page.takes(prefix);
        if (full) return false;
        auto value = jobs->find(entry.key.substr(prefix.size()));
        auto job = !value   ? result<model::job_record>{fail(value.error())}
                   : *value ? view::decode_job(txn, **value, false)
                            : result<model::job_record>{model::job_record{}};
        if (!job) outcome = fail(job.error());
        if (job && job->header) page.add_job(prefix, *job);
        return job.has_value();
      },
      from);
  if (!scanned) return fail(scanned.error());
  if (!outcome) return fail(outcome.error());
  return page.finish(full);
}

}  // namespace argosy::view
