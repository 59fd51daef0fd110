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
    of_.health().aims.reach(point);
    stay(1us);
  }
  [[nodiscard]] bool has(trouble what) const { return of_.health().has(what); }
  /// Whether what the machine sends to the log gets there, and whether an answer comes back.
  [[nodiscard]] bool has_way_there() const {
    return of_.port().state() == link_state::up || of_.port().state() == link_state::deaf;
  }
  [[nodiscard]] bool has_way_back() const {
    return of_.port().state() == link_state::up || of_.port().state() == link_state::mute;
  }
  [[nodiscard]] bool is_bad(model::log_position at, trouble kind) const {
    return has(kind) && of_.health().bad_record == at;
  }
  /// Every other answer is lost while some are.
  [[nodiscard]] bool loses_answer() {
    return has(trouble::answers_lost) && ++of_.health().answers % 2 == 1;
  }
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
  far_log(machine& of, std::shared_ptr<eventlog::memory_log> kept, record_taker stored)
      : seam_(of), kept_(std::move(kept)), stored_(std::move(stored)) {}

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
    if (!seam_.has_way_there()) return lost<model::log_position>();
    if (seam_.has(trouble::log_leaderless)) return leaderless<model::log_position>();
    if (seam_.has(trouble::log_full))
      return fail(ec::out_of_space, "the log takes nothing more at present");
    auto out = kept_->append(expected_last_position, msg_id, data, with);
    if (out) seam_.tell_stored(*out, data);
    if (out) stored_(*out, data);
    seam_.reach(crash_point::append_stored);
    seam_.take(append_half);
    if (!seam_.has_way_back() || seam_.loses_answer()) return lost<model::log_position>();
    return out;
  }
  result<std::vector<eventlog::record>> read(model::log_position from_position,
                                             std::size_t max_records, std::size_t max_bytes,
                                             std::chrono::milliseconds wait) override {
    auto out = ask([&] { return kept_->read(from_position, max_records, max_bytes, wait); });
    if (!out) return out;
    for (auto& record : *out) {
      if (seam_.is_bad(record.position, trouble::record_missing))
        return fail(ec::corrupt,
                    "record " + to_string(record.position) + " is missing from the log");
      spoil(record);
    }
    return out;
  }
  result<eventlog::record> get(model::log_position position) override {
    auto out = ask([&] { return kept_->get(position); });
    if (out && seam_.is_bad(position, trouble::record_missing))
      return fail(ec::not_found, "the log has no record " + to_string(position));
    if (out) spoil(*out);
    return out;
  }
  std::size_t max_record_bytes() const override { return kept_->max_record_bytes(); }
  void close() override {}

 private:
  template <class Question>
  auto ask(const Question& what) -> decltype(what()) {
    using value = typename decltype(what())::value_type;
    seam_.reach(crash_point::log_asked);
    seam_.take(question);
    if (!seam_.has_way_there()) return lost<value>();
    if (seam_.has(trouble::log_leaderless)) return leaderless<value>();
    auto out = what();
    if (!seam_.has_way_back()) return lost<value>();
    seam_.reach(crash_point::log_answered);
    return out;
  }
  /// What the disk under the log has made of a record.
  void spoil(eventlog::record& record) const {
    if (seam_.is_bad(record.position, trouble::record_damaged) && !record.data.empty())
      record.data[record.data.size() / 2] ^= 1;
  }
  template <class Value>
  result<Value> leaderless() {
    return fail(ec::unavailable, "the log has no leader at present");
  }
  template <class Value>
  result<Value> lost() {
    seam_.stay(unanswered);
    return fail(ec::timeout, "the log does not answer");
  }

  seam seam_;
  std::shared_ptr<eventlog::memory_log> kept_;
  record_taker stored_;
};

failure no_map_room() {
  return fail(ec::out_of_space, "the map of the store is full");
}

failure unreadable() {
  return fail(ec::internal, "the store cannot be read: input/output error");
}

class near_write final : public store::write_txn {
 public:
  near_write(const seam& by, std::unique_ptr<store::write_txn> kept)
      : seam_(by), kept_(std::move(kept)) {}

  result<std::optional<std::string_view>> get(store::table in, std::string_view key) override {
    if (seam_.has(trouble::unreadable)) return unreadable();
    return kept_->get(in, key);
  }
  result<std::unique_ptr<store::cursor>> open_cursor(store::table in) override {
    if (seam_.has(trouble::unreadable)) return unreadable();
    return kept_->open_cursor(in);
  }
  result<std::uint64_t> count(store::table in) override { return kept_->count(in); }
  result<void> put(store::table in, std::string_view key, std::string_view value) override {
    if (seam_.has(trouble::map_full)) return no_map_room();
    return kept_->put(in, key, value);
  }
  result<void> append(store::table in, std::string_view key, std::string_view value) override {
    if (seam_.has(trouble::map_full)) return no_map_room();
    return kept_->append(in, key, value);
  }
  result<bool> erase(store::table in, std::string_view key) override {
    return kept_->erase(in, key);
  }
  result<void> commit() override {
    seam_.reach(crash_point::commit_begins);
    seam_.take(commit_time);
    if (seam_.has(trouble::disk_full)) {
      kept_.reset();
      return fail(ec::out_of_space, "there is no room on the disk of the store");
    }
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

  result<std::unique_ptr<store::read_txn>> begin_read() override {
    if (seam_.has(trouble::unreadable)) return unreadable();
    return kept_->begin_read();
  }
  result<std::unique_ptr<store::write_txn>> begin_write() override {
    seam_.reach(crash_point::write_begins);
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
                                                  std::shared_ptr<eventlog::memory_log> kept,
                                                  record_taker stored) {
  return std::make_shared<far_log>(of, std::move(kept), std::move(stored));
}

std::shared_ptr<store::database> make_near_store(machine& of,
                                                 std::shared_ptr<store::memory_database> kept) {
  return std::make_shared<near_store>(of, std::move(kept));
}

}  // namespace argosy::sim
