// SPDX-License-Identifier: Apache-2.0
#include "bins/simulator/disks.hpp"

#include <xxhash.h>

#include <chrono>
#include <utility>

namespace argosy::sim {

namespace {

using namespace std::chrono_literals;

constexpr auto append_half = 2ms;  ///< The mean of the way to the log, and of the way back.
constexpr auto question = 500us;
constexpr auto commit_time = 2ms;
constexpr auto unanswered = 5s;  ///< When a call into a dead link gives up.

/// Both kinds of disk reach their machine through this.
class seam {
 public:
  explicit seam(machine& of) : of_(of), life_(of.present_life()) {}

  void take(virtual_time::duration mean) { of_.wait_for_disk(mean, life_); }
  void stay(virtual_time::duration time) { of_.wait(time, life_); }
  /// Comes to a point that a crash may be aimed at. The crash falls while this waits, or later.
  void reach(crash_point point) {
    of_.aims().reach(point);
    stay(1us);
  }
  [[nodiscard]] bool has_link() const { return of_.has_link(); }
  void tell_stored(model::log_position at, std::string_view data) {
    of_.tell("the log has " + to_string(at) + ": " +
             std::to_string(XXH3_64bits(data.data(), data.size())));
  }

 private:
  machine& of_;
  process::life life_;
};

class far_log final : public eventlog::event_log {
 public:
  far_log(machine& of, std::shared_ptr<eventlog::memory_log> kept)
      : seam_(of), kept_(std::move(kept)) {}

  result<std::vector<model::log_generation>> generations() override {
    return ask([&] { return kept_->generations(); });
  }
  void choose(model::log_generation generation, model::log_position base) override {
    kept_->choose(generation, base);
  }
  result<void> create() override {
    return ask([&] { return kept_->create(); });
  }
  result<eventlog::log_info> info() override {
    return ask([&] { return kept_->info(); });
  }
  result<model::log_position> last_position() override {
    return ask([&] { return kept_->last_position(); });
  }
  result<model::log_position> append(model::log_position expected_last_position,
                                     std::string_view msg_id, std::string_view data,
                                     const bus::headers& with) override {
    seam_.reach(crash_point::append_begins);
    seam_.take(append_half);
    if (!seam_.has_link()) return lost<model::log_position>();
    auto out = kept_->append(expected_last_position, msg_id, data, with);
    if (out) seam_.tell_stored(*out, data);
    seam_.reach(crash_point::append_stored);
    seam_.take(append_half);
    if (!seam_.has_link()) return lost<model::log_position>();
    return out;
  }
  result<std::vector<eventlog::record>> read(model::log_position from_position,
                                             std::size_t max_records, std::size_t max_bytes,
                                             std::chrono::milliseconds wait) override {
    return ask([&] { return kept_->read(from_position, max_records, max_bytes, wait); });
  }
  result<eventlog::record> get(model::log_position position) override {
    return ask([&] { return kept_->get(position); });
  }
  std::size_t max_record_bytes() const override { return kept_->max_record_bytes(); }
  void close() override {}

 private:
  template <class Question>
  auto ask(const Question& what) -> decltype(what()) {
    seam_.take(question);
    if (!seam_.has_link()) return lost<typename decltype(what())::value_type>();
    return what();
  }
  template <class Value>
  result<Value> lost() {
    seam_.stay(unanswered);
    return fail(ec::timeout, "the log does not answer");
  }

  seam seam_;
  std::shared_ptr<eventlog::memory_log> kept_;
};

class near_write final : public store::write_txn {
 public:
  near_write(const seam& by, std::unique_ptr<store::write_txn> kept)
      : seam_(by), kept_(std::move(kept)) {}

  result<std::optional<std::string_view>> get(store::table in, std::string_view key) override {
    return kept_->get(in, key);
  }
  result<std::unique_ptr<store::cursor>> open_cursor(store::table in) override {
    return kept_->open_cursor(in);
  }
  result<std::uint64_t> count(store::table in) override { return kept_->count(in); }
  result<void> put(store::table in, std::string_view key, std::string_view value) override {
    return kept_->put(in, key, value);
  }
  result<void> append(store::table in, std::string_view key, std::string_view value) override {
    return kept_->append(in, key, value);
  }
  result<bool> erase(store::table in, std::string_view key) override {
    return kept_->erase(in, key);
  }
  result<void> commit() override {
    seam_.reach(crash_point::commit_begins);
    seam_.take(commit_time);
    auto out = kept_->commit();
    seam_.reach(crash_point::commit_stored);
    return out;
  }

 private:
  seam seam_;
  std::unique_ptr<store::write_txn> kept_;
};

class near_store final : public store::database {
 public:
  near_store(machine& of, std::shared_ptr<store::memory_database> kept)
      : seam_(of), kept_(std::move(kept)) {}

  result<std::unique_ptr<store::read_txn>> begin_read() override { return kept_->begin_read(); }
  result<std::unique_ptr<store::write_txn>> begin_write() override {
    auto made = kept_->begin_write();
    if (!made) return fail(std::move(made.error()));
    return std::unique_ptr<store::write_txn>{std::make_unique<near_write>(seam_, std::move(*made))};
  }
  result<store::database_usage> usage() override { return kept_->usage(); }
  result<std::vector<store::reader>> readers() override { return kept_->readers(); }
  result<void> backup(const std::string& folder) override { return kept_->backup(folder); }

 private:
  seam seam_;
  std::shared_ptr<store::memory_database> kept_;
};

}  // namespace

std::shared_ptr<eventlog::event_log> make_far_log(machine& of,
                                                  std::shared_ptr<eventlog::memory_log> kept) {
  return std::make_shared<far_log>(of, std::move(kept));
}

std::shared_ptr<store::database> make_near_store(machine& of,
                                                 std::shared_ptr<store::memory_database> kept) {
  return std::make_shared<near_store>(of, std::move(kept));
}

}  // namespace argosy::sim
