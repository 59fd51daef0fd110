// SPDX-License-Identifier: Apache-2.0
// The archive answers questions about rounds of the past, from the store, its copies and the log.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "messages/past/past_cycle.hpp"
#include "messages/proto/argosy/explain.pb.h"
#include "runtime/base/ulid.hpp"

namespace argosy::past {

/// A copy of the store as it was at a position of the log.
struct store_copy {
  model::log_position position{};
  std::function<result<std::shared_ptr<store::database>>()> open;
};

struct archive_seams {
  std::shared_ptr<store::database> store;  ///< The store of now, which has the records of rounds.
  /// The copies of the store that there are, ascending.
  std::function<result<std::vector<store_copy>>()> copies;
  /// Opens the log for this reader alone.
  std::function<result<std::shared_ptr<eventlog::event_log>>()> open_log;
  std::shared_ptr<const codec::log_key> key;
  view::state_rules rules;
  settings_reader read_settings;
  std::size_t live_jobs_max = 0;  ///< As past_source::live_jobs_max.
};

/// The rounds that a history is about, and how much work it may be.
struct history_bounds {
  std::int64_t since_ns = 0;  ///< Unix time; rounds that began earlier are none of them.
  std::int64_t until_ns = 0;  ///< The same for rounds that began later.
  std::uint64_t rounds_max = 1'000;
  std::function<bool()> out_of_time{};  ///< Empty: there is no limit of time.
};

/// All functions block, for as long as it takes to read a part of the log. One thread uses it.
class archive {
 public:
  explicit archive(archive_seams seams) : seams_(std::move(seams)) {}

  /// Says what the round with this number made of the job, or the last round up to this Unix time
  /// of a pool in which it could run. Exactly one of the two is not 0. The rounds of the cycle are
  /// kept for the next question.
  /// Fails with ec::not_found if there was no such round, it cannot be decided again any more, or
  /// the job was not live then; and with the errors of the seams.
  /// Fails with ec::timeout once `out_of_time` is true; empty: there is no limit of time.
  [[nodiscard]] result<v1::JobExplanation> explain(const ulid& job, std::uint64_t round,
                                                   std::int64_t at_ns,
                                                   const std::function<bool()>& out_of_time = {});
  /// Decides the cycle of this round again, or returns the one that was kept.
  [[nodiscard]] result<const past_cycle*> cycle_of(const model::round_decided& round,
                                                   const std::function<bool()>& out_of_time = {});
  /// Decides the last rounds of a time again, and counts what they made of the job. Drops what was
  /// kept. Fails with the errors of the seams, with ec::not_found if no round of that
  /// time can be decided again, and with ec::too_large as each_cycle() does.
  [[nodiscard]] result<v1::JobHistory> history(const ulid& job, const history_bounds& bounds);
  /// Drops the rounds that were kept.
  void forget() { kept_.reset(); }
  /// Lets what is under way, and all that comes later, fail with ec::cancelled. Any thread may call
  /// it.
  void stop() noexcept { stopped_ = true; }

 private:
  [[nodiscard]] result<model::round_decided> find(std::uint64_t round, std::int64_t at_ns) const;
  [[nodiscard]] result<std::optional<model::round_decided>> find_before(
      std::uint64_t number, const std::vector<model::pool_name>& pools,
      std::int64_t since_ns) const;
  [[nodiscard]] result<std::shared_ptr<store::database>> copy_before(
      model::log_position position) const;
  [[nodiscard]] result<walk_end> walk(model::log_position first, model::log_position last,
                                      const std::function<bool()>& out_of_time,
                                      const cycle_visitor& visit) const;

  archive_seams seams_;
  std::optional<past_cycle> kept_;
  std::atomic<bool> stopped_{false};
};

}  // namespace argosy::past
