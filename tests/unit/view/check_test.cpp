// SPDX-License-Identifier: Apache-2.0
// Goal: a sound store and log have no findings, and each damage has one that names the place.
// Method: a history in the database and log in memory, of which each test damages one thing.
#include "messages/view/ended_history.hpp"
#include "messages/view/job_codec.hpp"
#include "messages/view/search/postings.hpp"
#include "tests/unit/view/check_fixture.hpp"

namespace argosy::view {
namespace {

using store::table;
using ::testing::HasSubstr;

TEST_F(checked, a_sound_store_has_no_findings_and_numbers) {
  const auto report = check();
  EXPECT_EQ(report.count(), 0u) << faults(report);
  EXPECT_THAT(notes(report), HasSubstr("ends at record 12 of generation 1 in epoch 1"));
  EXPECT_THAT(notes(report), HasSubstr("7 live jobs and 1 ended one"));
  EXPECT_THAT(notes(report), HasSubstr("12 batches of the chain, 12 of them with our MAC"));
  EXPECT_THAT(notes(report), HasSubstr("8 jobs' specifications were compared with the log"));
  EXPECT_EQ(check(nullptr).count(), 0u) << "the key is not needed: " << faults(check(nullptr));
}

TEST_F(checked, an_empty_store_is_sound) {
  store::memory_database empty;
  check_report report;
  const auto at = check_store(*empty.begin_read().value(), key_.get(), report);
  ASSERT_TRUE(at && *at);
  EXPECT_EQ(report.count(), 0u) << faults(report);
}

TEST_F(checked, a_record_that_does_not_decode_is_found_in_every_table) {
  for (const auto in : {table::jobs_live, table::jobs_done, table::queues, table::queue_totals,
                        table::set_counts, table::events, table::history, table::tail}) {
    const auto [at, value] = first(in);
    put(in, at, "\xff\xff");
    EXPECT_THAT(faults(check()), HasSubstr("table " + std::string{to_string(in)}));
    put(in, at, value);
  }
  for (const auto in :
       {table::rounds, table::clusters, table::nodes, table::carried, table::client_ids}) {
    put(in, "12345678", "\xff\xff");
    EXPECT_THAT(faults(check()), HasSubstr("table " + std::string{to_string(in)}));
    erase(in, "12345678");
  }
  EXPECT_EQ(check().count(), 0u) << faults(check());
}

TEST_F(checked, a_job_without_its_specification_is_found) {
  erase(table::specs, key(5));
  EXPECT_THAT(faults(check()), HasSubstr("[" + to_string(job(5)) + "] the specification of job"));
}

TEST_F(checked, a_specification_of_no_job_is_found) {
  put(table::specs, key(99), "spec");
  EXPECT_THAT(faults(check()),
              HasSubstr("table specs [] it has 9 records where the jobs call for 8"));
}

TEST_F(checked, a_specification_that_changed_is_found_by_the_log) {
  put(table::specs, key(5), "sqec");
  EXPECT_THAT(faults(check()), HasSubstr("differs from that in the log"));
}

TEST_F(checked, a_job_that_stands_under_another_id_is_found) {
  put(table::jobs_live, key(99), first(table::jobs_live).second);
  EXPECT_THAT(faults(check()), HasSubstr("the record is of job " + to_string(job(2))));
}

TEST_F(checked, a_reason_where_searches_look_for_none_is_found) {
  model::job_record waits;
  waits.header = submitted(5).header;
  waits.reason = "left over";
  put(table::jobs_live, key(5), encode_job(waits));
  EXPECT_THAT(faults(check()), HasSubstr("the job is QUEUED and has a reason"));
}

TEST_F(checked, a_job_among_the_wrong_ones_is_found) {
  const auto [at, value] = first(table::jobs_done);
  put(table::jobs_live, at, value);
  EXPECT_THAT(faults(check()), HasSubstr("also stands among those that have not ended"));
  EXPECT_THAT(faults(check()), HasSubstr("has ended and stands among those that have not"));
}

TEST_F(checked, each_index_of_jobs_has_what_it_needs_and_no_more) {
  const auto [set_key, set_value] = first(table::job_sets);
  erase(table::job_sets, set_key);
  EXPECT_THAT(faults(check()), HasSubstr("a job of this set is missing in the index"));
  put(table::job_sets, set_key, set_value);
  erase(table::jobs_placed, key(4));
  EXPECT_THAT(faults(check()), HasSubstr("a job with a run is missing in the index"));
  put(table::jobs_placed, key(4), "\x01");
  put(table::jobs_placed, key(5), "\x01");
  EXPECT_THAT(faults(check()), HasSubstr("table jobs_placed [] it has 2 records"));
  erase(table::jobs_placed, key(5));
  const auto posting = state_posting(job(5), "q", model::job_state::queued);
  erase(table::job_postings, posting);
  EXPECT_THAT(faults(check()), HasSubstr("a posting of a job is missing"));
  put(table::job_postings, posting, "\x01");
  put(table::job_postings, state_posting(job(99), "q", model::job_state::queued), "\x01");
  EXPECT_THAT(faults(check()), HasSubstr("table job_postings [] it has"));
  erase(table::job_postings, state_posting(job(99), "q", model::job_state::queued));
  for (const auto& of_owner : lasting_postings(job(5), submitted(5).header->owner, {}))
    erase(table::job_postings, of_owner);
  EXPECT_THAT(faults(check()), HasSubstr("a posting of a job is missing"));
}

TEST_F(checked, counts_that_differ_from_the_jobs_are_found) {
  const auto [at, value] = first(table::set_counts);
  erase(table::set_counts, at);
  EXPECT_THAT(faults(check()), HasSubstr("job set 's' has jobs and no counts"));
  put(table::set_counts, at, value);
  change([](auto& txn) {
    model::job_record gone;
    gone.header = submitted(5).header;
    ASSERT_TRUE(uncount_job(txn, gone));
  });
  EXPECT_THAT(faults(check()), HasSubstr("the counts of job set 's' of queue 'q' differ"));
}

TEST_F(checked, counts_that_the_next_start_makes_anew_are_no_fault) {
  erase(table::set_counts, first(table::set_counts).first);
  change([](auto& txn) { ASSERT_TRUE(mark_counts(txn, 0)); });
  EXPECT_EQ(check().count(), 0u) << faults(check());
  erase(table::meta, "set_counts");
  EXPECT_THAT(faults(check()), HasSubstr("the store was written by another version of argosyd"));
}

TEST_F(checked, a_live_job_without_its_queue_is_found) {
  erase(table::queues, "q");
  EXPECT_THAT(faults(check()), HasSubstr("table queues [q] the queue of a live job is missing"));
}

TEST_F(checked, what_would_never_expire_is_found) {
  erase(table::history, first(table::history).first);
  EXPECT_THAT(faults(check()), HasSubstr("table events [] it has 10 events"));
  change([](auto& txn) {
    auto jobs = ended_jobs_prefix("q", model::job_state::cancelled);
    ASSERT_TRUE(txn.erase(table::history, jobs.append(store::number_key(11))).value());
  });
  EXPECT_THAT(faults(check()), HasSubstr("so that it would never expire"));
}

TEST_F(checked, an_event_that_is_missing_or_of_the_future_is_found) {
  const auto [at, value] = first(table::events);
  erase(table::events, at);
  EXPECT_THAT(faults(check()), HasSubstr("it names events of a job set that are missing"));
  put(table::events, at, value);
  put(table::events, event_key("q", "s", {{99}, 0}), value);
  EXPECT_THAT(faults(check()), HasSubstr("it is of record 99, which the store has not applied"));
}

TEST_F(checked, every_field_of_the_position_is_looked_at) {
  const auto sound = position();
  const auto with = [&](auto set) {
    auto changed = sound;
    set(changed);
    change([&](auto& txn) { ASSERT_TRUE(write_position(txn, changed)); });
    return faults(check());
  };
  EXPECT_THAT(with([](auto& at) { at.generation = {0}; }), HasSubstr("the generation is 0"));
  EXPECT_THAT(with([](auto& at) { at.epoch = {}; }), HasSubstr("the epoch is 0"));
  EXPECT_THAT(with([](auto& at) { at.hash = 0; }), HasSubstr("its hash is another"));
  EXPECT_THAT(with([](auto& at) { at.generation_base = {12}; }), HasSubstr("is not behind"));
  EXPECT_THAT(with([](auto& at) { at.position = {11}; }), HasSubstr("is not on the chain"));
  EXPECT_THAT(with([](auto& at) { at.position = {40}; }), HasSubstr("the log ends at record 12"));
  EXPECT_THAT(with([](auto& at) { at.key_print = 40; }), HasSubstr("written with another key"));
}

}  // namespace
}  // namespace argosy::view
