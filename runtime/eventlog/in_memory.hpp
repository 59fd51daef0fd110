// SPDX-License-Identifier: Apache-2.0
// This file declares the log in memory, for tests. Its hooks do to it what a broker's crash or a
// power cut does.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/eventlog/event_log.hpp"
#include "runtime/eventlog/generation_keeper.hpp"

namespace argosy::eventlog {

struct memory_log_options {
  std::uint64_t max_bytes = 1ull << 40;
  std::size_t max_record_bytes = 8u << 20;
  /// Makes read() return at once instead of waiting when nothing is there, as a single-threaded
  /// test needs.
  bool never_wait = false;
};

class memory_log final : public event_log, public generation_keeper {
 public:
  /// The clock must outlive the log. The log of generation 1 exists.
  explicit memory_log(const clock_source& clock, const memory_log_options& options = {});
  /// The same log, as another process has it, which chooses its generation by itself.
  explicit memory_log(const memory_log& same);

  result<std::vector<model::log_generation>> generations() override;
  void choose(model::log_generation generation, model::log_position base) override;
  result<void> create() override;
  result<log_info> info() override;
  result<model::log_position> last_position() override;
  result<model::log_position> append(model::log_position expected_last_position,
                                     std::string_view msg_id, std::string_view data,
                                     const bus::headers& with = {}) override;
  result<std::vector<record>> read(model::log_position from_position, std::size_t max_records,
                                   std::size_t max_bytes, std::chrono::milliseconds wait) override;
  result<record> get(model::log_position position) override;
  std::size_t max_record_bytes() const override;
  result<std::vector<generation_facts>> look() override;
  result<void> empty(model::log_generation generation) override;
  void close() override;

  /// Makes the next append fail with this error. With `stored` the record is kept nevertheless, as
  /// when an acknowledgement is lost.
  void fail_next_append(error err, bool stored);
  /// Makes every function fail with this error, as when the server is down, until it is called
  /// without an error.
  void set_broken(std::optional<error> err);
  /// Takes records of at most this size from now on.
  void set_max_record_bytes(std::size_t bytes);
  /// Loses the last `records` records, whose positions will be used again, as after a power cut.
  void lose_tail(std::uint64_t records);
  /// Deletes the chosen log. If it is created again, it has another creation time.
  void remove();
  /// Loses a record from the middle of the log.
  void lose_record(model::log_position position);
  /// Changes a stored record's bytes.
  void damage(model::log_position position, const std::function<void(std::string&)>& change);

 private:
  struct injected {
    error err;
    bool stored;
  };

  struct stream {
    std::vector<std::optional<record>> records;
    std::unordered_map<std::string, std::uint64_t> by_msg_id;
    std::int64_t created_ns = 0;
    std::uint64_t bytes = 0;
    bool given_up = false;
  };

  /// Fails as well if the chosen log does not exist.
  result<stream*> usable();
  std::optional<record>* find(model::log_position position);
  [[nodiscard]] model::log_position last_of(const stream& in) const {
    return base_ + in.records.size();
  }
  std::int64_t creation_time();

  /// What all who have the log share.
  struct broker {
    const clock_source& clock;
    memory_log_options options;
    std::mutex mutex{};
    std::condition_variable changed{};
    std::map<model::log_generation, stream> streams{};
    std::int64_t newest_created_ns = 0;
    std::optional<injected> next_append{};
    std::optional<error> broken{};
  };

  const std::shared_ptr<broker> at_;
  model::log_generation chosen_{1};
  model::log_position base_{};
  bool closed_ = false;
};

}  // namespace argosy::eventlog
