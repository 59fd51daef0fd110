// SPDX-License-Identifier: Apache-2.0
// A control plane in virtual time whose rounds of the past can be decided again, and a random life
// for it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "messages/codec/log/log_codec.hpp"
#include "messages/past/archive.hpp"
#include "messages/proto/argosy/explain.pb.h"
#include "messages/view/store_codec.hpp"
#include "runtime/base/random.hpp"
#include "runtime/store/scan.hpp"
#include "tests/actors/settings/live_settings_fixture.hpp"

namespace argosy::tests {

/// Reads the log of the control plane as somebody with a connection of his own does, so that the
/// generation that the JOURNAL writes stays chosen.
class second_reader final : public eventlog::event_log {
 public:
  second_reader(eventlog::memory_log& log, store::database& database)
      : log_(log), database_(database) {}

 private:
  template <class Act>
  auto with_mine(Act act) {
    log_.choose(generation_, base_);
    auto out = act();
    const auto txn = database_.begin_read();
    const auto end = view::read_position(**txn)->value_or(view::view_position{});
    log_.choose(end.generation, end.generation_base);
    return out;
  }

 public:
  result<std::vector<model::log_generation>> generations() override { return log_.generations(); }
  void choose(model::log_generation generation, model::log_position base) override {
    generation_ = generation;
    base_ = base;
  }
  result<void> create() override { return fail(ec::denied, "a reader writes nothing"); }
  result<eventlog::log_info> info() override {
    return with_mine([&] { return log_.info(); });
  }
  result<model::log_position> last_position() override {
    return with_mine([&] { return log_.last_position(); });
  }
  result<model::log_position> append(model::log_position, std::string_view, std::string_view,
                                     const bus::headers&) override {
    return fail(ec::denied, "a reader writes nothing");
  }
  result<std::vector<eventlog::record>> read(model::log_position from, std::size_t count,
                                             std::size_t bytes,
                                             std::chrono::milliseconds wait) override {
    return with_mine([&] { return log_.read(from, count, bytes, wait); });
  }
  result<eventlog::record> get(model::log_position position) override {
    return with_mine([&] { return log_.get(position); });
  }
  std::size_t max_record_bytes() const override { return log_.max_record_bytes(); }
  void close() override {}

 private:
  eventlog::memory_log& log_;
  store::database& database_;
  model::log_generation generation_{1};
  model::log_position base_{};
};

struct past_rounds : live_settings_test {
  /// Starts with the file as it is.
  void begin() {
    live_settings_test::begin([this](actors::root_config& with) {
      with.archive = make_archive();
      with.load = load_of_log = std::make_shared<eventlog::log_load>(64U << 20);
    });
  }
  [[nodiscard]] std::shared_ptr<past::archive> make_archive() {
    past::archive_seams seams;
    seams.store = database;
    seams.copies = [this]() -> result<std::vector<past::store_copy>> { return copies; };
    seams.open_log = [this]() -> result<std::shared_ptr<eventlog::event_log>> {
      ++logs_opened;
      return std::make_shared<second_reader>(*log, *database);
    };
    seams.key = log_key;
    seams.rules = rules;
    seams.read_settings = read_settings;
    seams.live_jobs_max = live_jobs_max;
    return std::make_shared<past::archive>(std::move(seams));
  }
  std::size_t live_jobs_max = 0;  ///< As past_source has it.
  int logs_opened = 0;            ///< How often archives began to read.
  static result<native::round_settings> read_settings(const std::string& text) {
    auto section = settings::load_scheduling(text, "then");
    if (!section) return fail(std::move(section.error()));
    return argosyd::make_round_settings(*section);
  }
  /// The log from its beginning, without a store.
  [[nodiscard]] past::past_source source_of(eventlog::event_log& from) const {
    past::past_source out;
    out.log = &from;
    out.key = log_key.get();
    out.rules = rules;
    out.read_settings = read_settings;
    return out;
  }
  /// A copy of the log in which the record of round `late` stands in the batch with that of round
  /// `next`, before it, as when the first was slow to be appended.
  [[nodiscard]] std::unique_ptr<eventlog::memory_log> log_with_late_record(std::uint64_t late,
                                                                           std::uint64_t next) {
    auto out = std::make_unique<eventlog::memory_log>(
        clock, eventlog::memory_log_options{.never_wait = true});
    model::event moved;
    std::uint64_t hash = 0;
    const auto last = log->last_position().value();
    for (model::log_position position{1}; position <= last; ++position) {
      auto batch = codec::decode_batch(log->get(position)->data).value();
      auto& events = batch.events;
      const auto at = [&](std::uint64_t number) {
        return std::ranges::find_if(events, [&](const model::event& event) {
          const auto* round = std::get_if<model::round_decided>(&event.payload);
          return round != nullptr && round->number == number;
        });
      };
      if (const auto found = at(late); found != events.end()) {
        moved = std::move(*found);
        events.erase(found);
      }
      if (const auto found = at(next); found != events.end()) events.insert(found, moved);
      batch.previous_hash = hash;
      auto bytes = codec::encode_batch(batch);
      log_key->sign(bytes);
      hash = codec::batch_hash(bytes);
      EXPECT_TRUE(out->append(position - 1, to_string(position), bytes)) << position.value;
    }
    return out;
  }
  /// Copies the store as argosyd does when a generation has ended.
  void copy_store() {
    const std::shared_ptr<store::database> copy = database->clone();
    auto txn = copy->begin_read();
    const auto position = view::read_position(**txn)->value().position;
    copies.push_back({position, [copy] { return result<std::shared_ptr<store::database>>{copy}; }});
  }
  void roll_over() {
    auto txn = database->begin_read();
    load_of_log->ask_to_roll_over(view::read_position(**txn)->value().generation);
    pass(std::chrono::seconds{2});
  }
  /// The records of all rounds.
  std::vector<model::round_decided> records() {
    std::vector<model::round_decided> out;
    auto txn = database->begin_read();
    EXPECT_TRUE(txn);
    const auto read =
        store::each(**txn, store::table::rounds, [&](const store::entry& entry) -> result<void> {
          auto round = view::decode_round(entry.value);
          if (!round) return fail(round.error());
          out.push_back(std::move(round->round));
          return {};
        });
    EXPECT_TRUE(read);
    return out;
  }
  /// Decides all rounds again. Returns how many there are.
  std::size_t expect_the_same_decisions() {
    auto archive = make_archive();
    const auto all = records();
    for (const auto& record : all) {
      const auto cycle = archive->cycle_of(record);
      EXPECT_TRUE(cycle) << cycle.error().detail;
      if (!cycle) continue;
      for (const auto& round : (*cycle)->rounds) {
        EXPECT_TRUE(round.is_same()) << "round " << round.record.number << " of pool "
                                     << round.record.pool << ": " << round.plan.error;
        EXPECT_EQ(round.plan.leases.size(), round.record.leases) << round.record.number;
        EXPECT_EQ(round.plan.preemptions.size(), round.record.preemptions) << round.record.number;
      }
    }
    expect_the_same_in_one_walk(all);
    return all.size();
  }
  /// Decides all rounds again while the log is read once.
  void expect_the_same_in_one_walk(const std::vector<model::round_decided>& all) {
    ASSERT_FALSE(all.empty());
    second_reader reader{*log, *database};
    std::size_t walked = 0;
    const auto done = past::each_cycle(
        source_of(reader), all.front().snapshot_position, all.back().snapshot_position,
        [&](past::past_cycle& cycle, view::recovered_state&) {
          walked += cycle.rounds.size();
          for (const auto& round : cycle.rounds)
            EXPECT_TRUE(round.is_same()) << "round " << round.record.number << " in one walk";
          return true;
        });
    ASSERT_TRUE(done) << done.error().detail;
    EXPECT_EQ(*done, past::walk_end::done);
    EXPECT_EQ(walked, all.size());
  }
  v1::JobExplanation explain(const std::string& job, std::uint64_t round) {
    v1::ExplainJobRequest request;
    request.set_job_id(job);
    request.set_round(round);
    return ask<v1::JobExplanation>("Explain.ExplainJob", request);
  }

  /// Jobs come, end, are cancelled and change their priority; nodes and a cluster come and go.
  void live_through(int steps, std::uint64_t seed) {
    seeded_random random{seed};
    const auto pick = [&](std::uint64_t below) { return random.next() % below; };
    for (int step = 0; step < steps; ++step) {
      const std::string queue{static_cast<char>('a' + pick(3))};
      switch (pick(8)) {
        case 0:
        case 1:
        case 2:
          submit(queue, {.count = static_cast<int>(1 + pick(4)),
                         .cpu = std::to_string(1 + pick(3)),
                         .priority_class = pick(2) == 0 ? "armada-preemptible" : ""});
          break;
        case 3: {
          const auto size = static_cast<int>(2 + pick(3));
          submit(queue, {.count = size,
                         .gang = "gang" + std::to_string(seed) + "-" + std::to_string(step),
                         .cardinality = size});
          break;
        }
        case 4:
        case 5:
          for (auto& agent : agents)
            if (!agent->live.empty() && !agent->silent)
              agent.end(to_string(agent->live.begin()->first.job), model::run_phase::succeeded);
          break;
        case 6: {
          const auto all = jobs(queue);
          if (all.empty()) break;
          api::JobReprioritizeRequest request;
          request.add_job_ids(all[pick(all.size())].job_id());
          request.set_new_priority(static_cast<double>(pick(5)));
          static_cast<void>(call("Submit.ReprioritizeJobs", request));
          break;
        }
        default: {
          const auto all = jobs(queue);
          if (all.empty()) break;
          api::JobCancelRequest request;
          const auto& one = all[pick(all.size())];
          request.add_job_ids(one.job_id());
          request.set_queue(queue);
          request.set_job_set_id(one.job_set());
          static_cast<void>(call("Submit.CancelJobs", request));
        }
      }
      pass(std::chrono::milliseconds{50 + pick(1'500)});
    }
  }
  void begin_fleet() {
    for (const auto* queue : {"a", "b", "c"}) create_queue(queue, queue[0] == 'b' ? 2 : 1);
    add_agent("near", {node_of("n1", 4), node_of("n2", 4)});
    add_agent("far", {node_of("n1", 8)}, "other");
  }

  std::vector<past::store_copy> copies;
  std::shared_ptr<eventlog::log_load> load_of_log;
};

}  // namespace argosy::tests
