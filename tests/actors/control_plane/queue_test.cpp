// SPDX-License-Identifier: Apache-2.0
// Goal: what a QUEUE tells the COORDINATOR when cuts are lost and commits come at bad times, and
// what it counts. Method: one QUEUE alone; a JOURNAL that commits when the test says so, and a
// COORDINATOR that asks for nothing.
#include <gmock/gmock.h>

#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <deque>
#include <optional>

#include "actors/state/queue.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::SizeIs;
using namespace std::chrono_literals;

struct lone_queue : control_plane_test {
  struct test_clock final : clock_source {
    wall_time wall() const override { return from_nanos(now.count()); }
    boot_time boot() const override { return now; }
    boot_time now{1'700'000'000s};
  };

  lone_queue() {
    start();
    auto core = std::make_shared<ledger::queue_core>("q");
    model::queue_settings settings;
    settings.name = "q";
    core->restore(settings);
    core->restore(waiting_job());
    actors::queue_actor_config with;
    with.core = std::move(core);
    with.root = root;
    with.journal = journal = system.spawn([this] { return journal_behavior(); });
    coordinator = caf::actor_cast<caf::strong_actor_ptr>(system.spawn(coordinator_behavior));
    with.coordinator = caf::actor_cast<actors::coordinator_actor>(coordinator);
    with.clock = &test_time;
    with.position = {10};
    with.jobs_in_part_max = 2;
    with.load = std::make_shared<eventlog::log_load>(1U << 20U);
    queue = actors::spawn_queue(system, std::move(with));
    settle();
    EXPECT_THAT(cut(10)->jobs->set, SizeIs(1));
    caf::anon_send(queue, atom::cut_v, atom::ok_v);
  }
  ~lone_queue() override {
    caf::anon_send_exit(journal, caf::exit_reason::kill);
    caf::anon_send_exit(coordinator, caf::exit_reason::kill);
    caf::anon_send_exit(queue, caf::exit_reason::kill);
    settle();
    queue = nullptr;
    journal = nullptr;
    coordinator = nullptr;
  }

  model::job_record waiting_job() const { return waiting_job(id); }
  static model::job_record waiting_job(const ulid& id) {
    auto shape = std::make_shared<model::job_shape>();
    shape->requests = {{"cpu", 64'000}};
    auto header = std::make_shared<model::job_header>();
    header->id = id;
    header->queue = "q";
    header->job_set = "set";
    header->shape = std::move(shape);
    header->spec = std::make_shared<const std::string>("spec");
    model::job_record record;
    record.header = std::move(header);
    return record;
  }

  actors::journal_actor::behavior_type journal_behavior() {
    return {
        [](atom::append, const native::append_ptr&) { return native::append_ack{}; },
        [this](atom::append, std::uint64_t number, const native::append_ptr& request,
               const actors::append_owner_actor&) {
          appends.push_back(number);
          events_max = std::max(events_max, request->events.size());
        },
        [](atom::flush) {},
        [](atom::claim, const model::leader_elected&, const actors::alarm_actor&) {
          return model::epoch{1};
        },
        [](atom::verify) { return atom::ok_v; },
        [](atom::confirm, const native::plane_word&) {},
        [](atom::erase, const std::string&) { return atom::ok_v; },
        [](atom::watch, const actors::commit_listener_actor&) {},
        [](atom::status, atom::figures) { return metrics::figure_list{}; },
    };
  }
  /// Takes what a QUEUE says to the COORDINATOR.
  static caf::behavior coordinator_behavior(caf::event_based_actor*) {
    return {
        [](atom::ended, const native::run_outcomes_ptr&) {},
        [](atom::dirty, const model::queue_name&, const actors::queue_actor&) {},
        [](atom::place, const model::queue_name&, const native::place_reply_ptr&) {},
    };
  }

  /// Commits the oldest append that is open as the record at the position.
  void commit(std::uint64_t position) {
    settle();
    ASSERT_FALSE(appends.empty());
    caf::anon_send(queue, atom::append_v,
                   native::append_outcome{appends.front(), model::log_position{position}});
    appends.pop_front();
    settle();
  }
  template <class Answer, class... Question>
  Answer ask_queue(const Question&... question) {
    caf::scoped_actor probe{system};
    Answer out;
    auto pending = probe->request(queue, caf::infinite, question...);
    settle();
    pending.receive([&](const Answer& answer) { out = answer; },
                    [&](const caf::error& err) { ADD_FAILURE() << system.render(err); });
    return out;
  }
  native::queue_delta_ptr cut(std::uint64_t at) {
    return ask_queue<native::queue_delta_ptr>(atom::cut_v, model::log_position{at});
  }
  void lease() {
    auto part = std::make_shared<ledger::place_request>();
    part->leases.push_back(
        {id, model::cluster_name{"c"}, model::node_name{"n"}, model::pool_name{"default"}, 0});
    caf::anon_send(queue, atom::place_v, native::place_ptr{part});
  }
  void cancel() {
    native::cancel_request request;
    request.jobs.ids = {id};
    caf::anon_send(queue, atom::cancel_v, request);
  }
  void report(model::run_phase phase) {
    auto part = std::make_shared<native::report_part>();
    part->cluster = model::cluster_name{"c"};
    auto& one = part->reports.emplace_back();
    one.run = {id, 1};
    one.queue = "q";
    one.phase = phase;
    caf::anon_send(queue, atom::report_v, native::report_part_ptr{part}, actors::cluster_actor{});
  }

  const ulid id = ulid_from_hash(1'700'000'000'000, 1, 2);
  test_clock test_time;
  actors::journal_actor journal;
  caf::strong_actor_ptr coordinator;
  actors::queue_actor queue;
  std::deque<std::uint64_t> appends;
  std::size_t events_max = 0;  ///< The most events of one append.
};

TEST_F(lone_queue, tells_of_a_lease_again_whose_cut_was_lost_though_the_job_changed_since) {
  lease();
  commit(11);
  const auto lost = cut(11);
  ASSERT_THAT(lost->jobs->set, SizeIs(1));
  ASSERT_NE(lost->jobs->set[0].run, nullptr);
  cancel();
  commit(12);
  const auto again = cut(11);
  ASSERT_THAT(again->jobs->set, SizeIs(1)) << "the change behind the cut hides the lease";
  EXPECT_NE(again->jobs->set[0].run, nullptr);
}

TEST_F(lone_queue, tells_of_a_lease_though_the_job_changed_behind_the_cut) {
  lease();
  commit(11);
  cancel();
  commit(12);
  const auto first = cut(11);
  ASSERT_THAT(first->jobs->set, SizeIs(1)) << "the change behind the cut hides the lease";
  EXPECT_NE(first->jobs->set[0].run, nullptr);
  caf::anon_send(queue, atom::cut_v, atom::ok_v);
  settle();
  for (const auto& job : cut(12)->jobs->set) EXPECT_NE(job.run, nullptr);
}

TEST_F(lone_queue, holds_back_what_is_behind_the_cut) {
  lease();
  commit(11);
  EXPECT_THAT(cut(10)->jobs->set, SizeIs(0));
  caf::anon_send(queue, atom::cut_v, atom::ok_v);
  EXPECT_THAT(cut(11)->jobs->set, SizeIs(1));
}

struct parted_change : lone_queue {
  parted_change() {
    auto request = std::make_shared<native::submit_request>();
    for (std::uint64_t i = 0; i < 7; ++i)
      request->jobs.push_back(waiting_job(ulid_from_hash(1'800'000'000'000 + i, 1, i)).header);
    caf::anon_send(queue, atom::submit_v, native::submit_ptr{request});
    commit(11);
    events_max = 0;
    many.jobs.whole = true;
    many.jobs.job_set = "set";
  }
  ~parted_change() override { probe.reset(); }
  void ask(const native::cancel_request& request) {
    probe.emplace(system);
    answer.emplace((*probe)->request(queue, caf::infinite, atom::cancel_v, request));
    settle();
  }
  /// The number of jobs that the answer names.
  std::size_t changed() {
    std::size_t out = 0;
    answer->receive([&](const ledger::selection_reply& reply) { out = reply.ids.size(); },
                    [&](const caf::error& err) { ADD_FAILURE() << system.render(err); });
    return out;
  }

  native::cancel_request many;
  std::optional<caf::scoped_actor> probe;
  using pending = decltype(std::declval<caf::scoped_actor&>()->request(
      std::declval<actors::queue_actor&>(), caf::infinite, atom::cancel_v, many));
  std::optional<pending> answer;
};

TEST_F(parted_change, lets_others_in_between_and_answers_for_all) {
  ask(many);
  EXPECT_THAT(appends, SizeIs(3)) << "three parts are under way at a time";
  EXPECT_EQ(events_max, 4U) << "a part has two jobs with two events each";
  const auto late = std::make_shared<native::submit_request>();
  late->jobs.push_back(waiting_job(ulid_from_hash(1'900'000'000'000, 1, 1)).header);
  caf::anon_send(queue, atom::submit_v, native::submit_ptr{late});
  settle();
  EXPECT_THAT(appends, SizeIs(4)) << "the submission need not wait for the whole change";
  for (std::uint64_t position = 12; !appends.empty(); ++position) commit(position);
  EXPECT_EQ(changed(), 8U);
  const auto status = ask_queue<native::queue_status_ptr>(atom::status_v);
  EXPECT_EQ(status->live.at(model::job_state::queued), 1U) << "the new job is left alone";
  EXPECT_EQ(status->totals.cancelled, 8U);
}

TEST_F(parted_change, looks_again_at_jobs_that_went_on_meanwhile) {
  many.jobs.leased = many.jobs.pending = many.jobs.running = false;
  ask(many);
  auto part = std::make_shared<ledger::place_request>();
  part->leases.push_back({ulid_from_hash(1'800'000'000'006, 1, 6), model::cluster_name{"c"},
                          model::node_name{"n"}, model::pool_name{"default"}, 0});
  caf::anon_send(queue, atom::place_v, native::place_ptr{part});
  for (std::uint64_t position = 12; settle(), !appends.empty(); ++position) commit(position);
  EXPECT_EQ(changed(), 7U) << "only queued jobs were meant, and one is leased by now";
}

TEST_F(lone_queue, counts_the_usage_of_large_and_long_runs) {
  lease();
  commit(11);
  report(model::run_phase::running);
  commit(12);
  test_time.now += 120h;
  report(model::run_phase::succeeded);
  commit(13);
  const auto status = ask_queue<native::queue_status_ptr>(atom::status_v);
  EXPECT_EQ(status->totals.usage_cpu_ms, 64'000ULL * 120 * 3'600);
}

}  // namespace argosy::tests
