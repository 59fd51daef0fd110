// SPDX-License-Identifier: Apache-2.0
// Goal: settings, submission, client ids, gang rules at submission and limits do what a queue
// promises, whole or not at all. Method: one core driven by commands; replies, events, changes and
// state are compared after each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "runtime/ledger/queue/queue_version.hpp"
#include "tests/unit/queue_ledger/queue_fixture.hpp"

namespace argosy::ledger {
namespace {

using ::testing::HasSubstr;

model::queue_settings settings_of(std::string name, double factor = 1.0) {
  model::queue_settings settings;
  settings.name = model::queue_name{std::move(name)};
  settings.priority_factor = factor;
  return settings;
}

TEST(queue_settings, are_written_by_mode) {
  queue_core core{"q"};
  EXPECT_FALSE(core.exists());
  EXPECT_EQ(core.set(settings_of("q"), write_mode::update, 1).reply.error().code, ec::not_found);
  auto made = core.set(settings_of("q"), write_mode::create, 1);
  ASSERT_TRUE(made.reply);
  EXPECT_FALSE(core.exists()) << "a decision changes nothing";
  const auto changes = core.apply(made.events.at(0));
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(std::get<put_queue>(changes[0]).settings, settings_of("q"));
  EXPECT_TRUE(core.exists());
  EXPECT_EQ(core.set(settings_of("q"), write_mode::create, 2).reply.error().code,
            ec::already_exists);
  EXPECT_TRUE(core.set(settings_of("q"), write_mode::upsert, 2).events.empty());
  EXPECT_EQ(core.set(settings_of("q", 2), write_mode::update, 2).events.size(), 1U);
}

TEST(queue_settings, have_a_priority_factor_as_small_as_is_allowed) {
  EXPECT_EQ(queue_core{"q"}.set(settings_of("q", 0.5), write_mode::create, 1).reply.error().detail,
            "queue 'q': the priority factor must be at least 1 (api.priorityFactorMin), not 0.5");
  queue_config config;
  config.priority_factor_min = 0.25;
  queue_core core{"q", config};
  EXPECT_TRUE(core.set(settings_of("q", 0.25), write_mode::create, 1).reply);
  EXPECT_FALSE(core.set(settings_of("q", 0.125), write_mode::create, 1).reply);
}

TEST(queue_settings, are_replaced_only_as_they_were_read) {
  queue_driver q;
  const auto read = version_of(*q.core.settings());
  ASSERT_TRUE(q.run(q.core.set(settings_of("q", 2), write_mode::update, 5, read)));
  const auto late = q.core.set(settings_of("q", 3), write_mode::update, 6, read);
  EXPECT_EQ(late.reply.error().code, ec::conflict);
  EXPECT_EQ(late.reply.error().detail,
            "the settings of queue 'q' have changed since they were read; read them again");
  EXPECT_TRUE(late.events.empty());
  const auto again = version_of(*q.core.settings());
  EXPECT_TRUE(q.core.set(settings_of("q", 3), write_mode::upsert, 7, again).reply);
  queue_core gone{"q"};
  EXPECT_EQ(gone.set(settings_of("q"), write_mode::upsert, 8, again).reply.error().code,
            ec::not_found)
      << "a queue that was deleted meanwhile is not created again";
}

TEST(queue_version, follows_from_every_part_of_the_settings) {
  const auto base = settings_of("q");
  std::vector<model::queue_settings> all(11, base);
  all[1].priority_factor = 1.5;
  all[2].cordoned = true;
  all[3].owners = {"a"};
  all[4].group_owners = {"a"};
  all[5].permissions = {{{{"User", "a"}}, {"submit"}}};
  all[6].limits["class"].fraction["cpu"] = 0.5;
  all[7].limits["class"].fraction_by_pool["cpu"]["x"] = 0.5;
  all[8].labels = {{"a", "b"}};
  all[9].retry_policies = {"a"};
  all[10].total_limit = {{"cpu", 0.5}};
  std::set<std::string> versions;
  for (const auto& settings : all) {
    EXPECT_EQ(version_of(settings).size(), 16U);
    EXPECT_EQ(version_of(settings), version_of(model::queue_settings{settings}));
    versions.insert(version_of(settings));
  }
  EXPECT_EQ(versions.size(), all.size());
}

TEST(queue_version, is_the_same_on_every_machine) {
  EXPECT_EQ(version_of(settings_of("q")), "a2e0cf8087421241");
}

TEST(queue_settings, refuse_what_makes_no_sense) {
  queue_core core{"q"};
  for (const double factor : {0.0, 0.99, -1.0, std::nan(""), HUGE_VAL})
    EXPECT_EQ(core.set(settings_of("q", factor), write_mode::upsert, 1).reply.error().code,
              ec::invalid_argument)
        << factor;
  EXPECT_EQ(core.set(settings_of("other"), write_mode::upsert, 1).reply.error().code,
            ec::invalid_argument);
}

TEST(queue_settings, cordon_once) {
  queue_driver q;
  ASSERT_TRUE(q.run(q.core.cordon(true, 5)));
  EXPECT_TRUE(q.core.settings()->cordoned);
  EXPECT_TRUE(q.core.cordon(true, 6).events.empty());
  EXPECT_EQ(queue_core{"x"}.cordon(true, 1).reply.error().code, ec::not_found);
}

TEST(queue_settings, a_queue_with_live_jobs_is_not_erased) {
  queue_driver q;
  ASSERT_TRUE(q.submit({job_named(1)}));
  const auto refused = q.core.erase(erase_mode::strict, 5);
  EXPECT_EQ(refused.reply.error().code, ec::conflict);
  EXPECT_EQ(refused.reply.error().detail, "queue 'q' has 1 jobs that have not ended, such as " +
                                              to_string(job_id(1)) +
                                              "; cancel them or wait for them first");
  const auto lenient = q.core.erase(erase_mode::lenient, 5);
  EXPECT_TRUE(lenient.reply);
  EXPECT_TRUE(lenient.events.empty());
  ASSERT_TRUE(q.cancel({1}));
  ASSERT_TRUE(q.run(q.core.erase(erase_mode::strict, 6)));
  EXPECT_FALSE(q.core.exists());
  EXPECT_TRUE(std::holds_alternative<erase_queue>(q.changes.back()));
  EXPECT_EQ(q.core.erase(erase_mode::strict, 7).reply.error().code, ec::not_found);
  EXPECT_TRUE(q.core.erase(erase_mode::lenient, 7).reply);
}

TEST(queue_submit, needs_the_queue) {
  queue_core core{"q"};
  const auto refused = core.submit({std::make_shared<model::job_header>(job_named(1))}, 1);
  EXPECT_EQ(refused.reply.error().code, ec::not_found);
  EXPECT_THAT(refused.reply.error().detail, HasSubstr("queue 'q' does not exist"));
}

TEST(queue_submit, nothing_is_a_success) {
  queue_driver q;
  const auto reply = q.submit({});
  ASSERT_TRUE(reply);
  EXPECT_TRUE(reply->jobs.empty());
  EXPECT_TRUE(q.last_events.empty());
}

TEST(queue_submit, stores_job_event_and_client_id) {
  queue_driver q;
  auto job = job_named(1);
  job.client_id = "mine";
  job.body_hash = 42;
  q.changes.clear();
  const auto reply = q.submit({job});
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->jobs.at(0).id, job_id(1));
  EXPECT_FALSE(reply->jobs.at(0).duplicate);
  ASSERT_EQ(q.changes.size(), 3U);
  const auto& put = std::get<put_job>(q.changes[0]);
  EXPECT_TRUE(put.is_new);
  EXPECT_EQ(put.record.priority, 10U);
  EXPECT_EQ(put.record.state, model::job_state::queued);
  const auto& index = std::get<index_event>(q.changes[1]);
  EXPECT_EQ(index.job_set, "set-1");
  EXPECT_EQ(model::job_of(index.event), job_id(1));
  const auto& client = std::get<put_client_id>(q.changes[2]);
  EXPECT_EQ(client.client_id, "mine");
  EXPECT_EQ(client.body_hash, 42U);
  EXPECT_EQ(client.jobs, (std::vector<ulid_range>{{job_id(1), 1}}));
  EXPECT_EQ(client.kind, id_kind::job);
  EXPECT_EQ(q.core.count(model::job_state::queued), 1U);
}

TEST(queue_submit, stays_possible_on_a_cordoned_queue) {
  queue_driver q;
  ASSERT_TRUE(q.run(q.core.cordon(true, 5)));
  EXPECT_TRUE(q.submit({job_named(1)}));
}

TEST(queue_submit, a_known_client_id_gives_the_old_job) {
  queue_driver q;
  auto job = job_named(1);
  job.client_id = "mine";
  job.body_hash = 42;
  ASSERT_TRUE(q.submit({job}));
  job.id = job_id(2);
  const auto again = q.submit({job});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->jobs.at(0).id, job_id(1));
  EXPECT_TRUE(again->jobs.at(0).duplicate);
  EXPECT_TRUE(q.last_events.empty());
  // The same holds when the first job has ended.
  ASSERT_TRUE(q.cancel({1}));
  EXPECT_TRUE(q.submit({job})->jobs.at(0).duplicate);
}

TEST(queue_submit, a_client_id_with_another_body_is_a_conflict) {
  queue_driver q;
  auto job = job_named(1);
  job.client_id = "mine";
  job.body_hash = 42;
  ASSERT_TRUE(q.submit({job}));
  auto other = job_named(2);
  other.client_id = "mine";
  other.body_hash = 43;
  const auto refused = q.submit({job_named(3), other});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::conflict);
  EXPECT_THAT(refused.error().detail, HasSubstr("job 1: client id 'mine'"));
  EXPECT_EQ(q.state(3), "GONE") << "nothing of a refused request is taken";
}

TEST(queue_submit, equal_client_ids_in_one_request_are_one_job) {
  queue_driver q;
  auto first = job_named(1);
  first.client_id = "mine";
  first.body_hash = 42;
  auto second = first;
  second.id = job_id(2);
  const auto reply = q.submit({first, job_named(3), second});
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->jobs.at(2).id, job_id(1));
  EXPECT_TRUE(reply->jobs.at(2).duplicate);
  EXPECT_EQ(q.core.live_count(), 2U);
  second.client_id = first.client_id = "other";
  first.id = job_id(4);
  second.id = job_id(5);
  second.body_hash = 43;
  EXPECT_EQ(q.submit({first, second}).error().code, ec::conflict);
}

TEST(queue_submit, client_ids_are_forgotten_after_their_retention) {
  queue_config config;
  config.client_id_retention_ns = 100;
  queue_driver q{config};
  auto job = job_named(1);
  job.client_id = "mine";
  ASSERT_TRUE(q.submit({job}));
  EXPECT_EQ(q.core.prune_client_ids(q.now + 100), 0U);
  job.id = job_id(2);
  q.now += 99;
  EXPECT_TRUE(q.submit({job})->jobs.at(0).duplicate);
  EXPECT_FALSE(q.submit({job})->jobs.at(0).duplicate) << "one nanosecond past it";
  q.now += 200;
  EXPECT_EQ(q.core.prune_client_ids(q.now), 1U);
  EXPECT_EQ(q.core.client_id_count(), 0U);
}

TEST(queue_submit, client_ids_survive_the_queue) {
  queue_driver q;
  auto job = job_named(1);
  job.client_id = "mine";
  ASSERT_TRUE(q.submit({job}));
  ASSERT_TRUE(q.cancel({1}));
  ASSERT_TRUE(q.run(q.core.erase(erase_mode::strict, ++q.now)));
  ASSERT_TRUE(q.run(q.core.set(settings_of("q"), write_mode::create, ++q.now)));
  job.id = job_id(2);
  EXPECT_EQ(q.submit({job})->jobs.at(0).id, job_id(1));
}

TEST(queue_submit, refuses_ids_in_use_and_foreign_jobs) {
  queue_driver q;
  ASSERT_TRUE(q.submit({job_named(1)}));
  EXPECT_EQ(q.submit({job_named(1)}).error().code, ec::conflict);
  EXPECT_EQ(q.submit({job_named(2), job_named(2)}).error().code, ec::conflict);
  auto foreign = job_named(3);
  foreign.queue = "other";
  EXPECT_EQ(q.submit({foreign}).error().code, ec::invalid_argument);
  auto nil = job_named(4);
  nil.id = {};
  EXPECT_EQ(q.submit({nil}).error().code, ec::invalid_argument);
  EXPECT_EQ(q.core.submit({nullptr}, 1).reply.error().code, ec::invalid_argument);
}

TEST(queue_submit, is_shed_past_the_limit_as_a_whole) {
  queue_config config;
  config.live_jobs_max = 3;
  queue_driver q{config};
  ASSERT_TRUE(q.submit({job_named(1), job_named(2)}));
  const auto refused = q.submit({job_named(3), job_named(4)});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::overloaded);
  EXPECT_EQ(q.core.live_count(), 2U);
  EXPECT_TRUE(q.submit({job_named(3)}));
}

model::job_header member(std::uint64_t number, std::shared_ptr<const model::gang_info> gang) {
  auto job = job_named(number);
  job.gang = std::move(gang);
  return job;
}

TEST(queue_gang_submit, members_come_in_one_request_or_in_several) {
  queue_driver q;
  ASSERT_TRUE(q.submit({member(1, gang_of("g", 3)), member(2, gang_of("g", 3))}));
  auto joined = q.effects<gang_changed>();
  ASSERT_EQ(joined.size(), 1U);
  EXPECT_EQ(joined[0].joined, (std::vector<ulid>{job_id(1), job_id(2)}));
  EXPECT_EQ(joined[0].gang->cardinality, 3U);
  ASSERT_TRUE(q.submit({member(3, gang_of("g", 3))}));
  EXPECT_EQ(q.effects<gang_changed>().at(0).joined, std::vector<ulid>{job_id(3)});
}

TEST(queue_gang_submit, members_must_agree) {
  auto labelled = std::make_shared<model::gang_info>(*gang_of("g", 3));
  labelled->uniformity_label = "rack";
  auto other_class = member(2, gang_of("g", 3));
  auto shape = std::make_shared<model::job_shape>(*other_class.shape);
  shape->priority_class = "armada-preemptible";
  other_class.shape = shape;
  for (const auto& odd : {member(2, gang_of("g", 4)), member(2, gang_of("g", 3, 2)),
                          member(2, labelled), other_class}) {
    queue_driver q;
    EXPECT_EQ(q.submit({member(1, gang_of("g", 3)), odd}).error().code, ec::invalid_argument);
    ASSERT_TRUE(q.submit({member(1, gang_of("g", 3))}));
    EXPECT_EQ(q.submit({odd}).error().code, ec::invalid_argument);
    EXPECT_EQ(q.core.live_count(), 1U);
  }
}

TEST(queue_gang_submit, no_more_than_the_cardinality) {
  queue_driver q;
  ASSERT_TRUE(q.submit({member(1, gang_of("g", 2)), member(2, gang_of("g", 2))}));
  const auto refused = q.submit({member(3, gang_of("g", 2))});
  EXPECT_EQ(refused.error().code, ec::invalid_argument);
  EXPECT_THAT(refused.error().detail, HasSubstr("more than its cardinality 2"));
  EXPECT_EQ(
      q.submit({member(4, gang_of("h", 2)), member(5, gang_of("h", 2)), member(6, gang_of("h", 2))})
          .error()
          .code,
      ec::invalid_argument);
}

TEST(queue_gang_submit, nobody_joins_a_gang_that_has_started) {
  queue_driver q;
  ASSERT_TRUE(q.submit({member(1, gang_of("g", 2)), member(2, gang_of("g", 2))}));
  ASSERT_EQ(q.lease({1, 2})->started.size(), 2U);
  ASSERT_TRUE(q.report(1, model::run_phase::succeeded));
  const auto refused = q.submit({member(3, gang_of("g", 2))});
  EXPECT_EQ(refused.error().code, ec::invalid_argument);
  EXPECT_THAT(refused.error().detail, HasSubstr("has started already"));
  // The id is free once all members have ended.
  ASSERT_TRUE(q.report(2, model::run_phase::succeeded));
  EXPECT_TRUE(q.submit({member(3, gang_of("g", 2))}));
}

TEST(queue_gang_submit, gangs_fit_into_a_record_of_the_log_whatever_the_configuration_allows) {
  queue_config config;
  config.gang_cardinality_max = 8;
  queue_driver q{config};
  q.core.fit_gangs(4);
  const auto refused = q.submit({member(1, gang_of("g", 5))});
  EXPECT_EQ(refused.error().code, ec::too_large);
  EXPECT_THAT(refused.error().detail, HasSubstr("at most 4 are allowed"));
  q.core.fit_gangs(6);
  EXPECT_FALSE(q.submit({member(1, gang_of("g", 5))})) << "a larger record widens nothing";
}

TEST(queue_gang_submit, sizes_have_limits) {
  queue_config config;
  config.gang_cardinality_max = 8;
  queue_driver q{config};
  EXPECT_EQ(q.submit({member(1, gang_of("g", 9))}).error().code, ec::too_large);
  EXPECT_EQ(q.submit({member(1, gang_of("g", 4, 5))}).error().code, ec::invalid_argument);
  EXPECT_EQ(q.submit({member(1, gang_of("", 4))}).error().code, ec::invalid_argument);
  EXPECT_TRUE(q.submit({member(1, gang_of("one", 1)), member(2, gang_of("one", 1))}))
      << "a gang of one is none";
  EXPECT_TRUE(q.core.gangs().empty());
}

}  // namespace
}  // namespace argosy::ledger
