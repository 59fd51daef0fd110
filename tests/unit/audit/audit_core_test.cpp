// SPDX-License-Identifier: Apache-2.0
// Goal: what was called is recorded once and in order, and a flood of refused calls is counted
// instead. Method: calls at given times, and what the core wants written.
#include "runtime/ledger/audit_core.hpp"

#include <gmock/gmock.h>

#include "runtime/ledger/leader_core.hpp"
#include "runtime/ledger/retention.hpp"

namespace argosy::ledger {
namespace {

using model::call_recorded;
namespace outcome = model::call_outcome;

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t minute = 60 * second;

call_recorded call_by(const std::string& user, std::string_view result = outcome::ok) {
  call_recorded out;
  out.user = user;
  out.via = "nats";
  out.method = "Submit.CancelJobs";
  out.outcome = result;
  return out;
}

/// What the core wants written.
std::vector<call_recorded> taken(audit_core& core, std::int64_t now_ns, bool last = false) {
  std::vector<call_recorded> out;
  for (auto& event : core.take(now_ns, last))
    out.push_back(std::get<call_recorded>(std::move(event.payload)));
  return out;
}

TEST(audit_core, numbers_what_it_records_and_gives_it_once) {
  audit_core core{{}, 41};
  EXPECT_EQ(core.due_ns(), std::nullopt);
  core.record(call_by("ann"), 5);
  core.record(call_by("bob", "denied"), 6);
  EXPECT_EQ(core.due_ns(), 5);
  const auto events = core.take(7);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].time_ns, 5);
  EXPECT_EQ(events[0].queue, "") << "events with a queue are applied by its QUEUE";
  const auto& second_call = std::get<call_recorded>(events[1].payload);
  EXPECT_EQ(second_call.number, 43U);
  EXPECT_EQ(second_call.user, "bob");
  EXPECT_EQ(second_call.outcome, "denied");
  EXPECT_TRUE(taken(core, 8).empty());
  const auto changes = control_changes(events[1]);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(std::get<put_call>(changes[0]).call, second_call);
  EXPECT_EQ(std::get<put_call>(changes[0]).time_ns, 6);
}

TEST(audit_core, counts_the_refusals_of_a_caller_beyond_his_share) {
  audit_core core{{.refusals_per_caller = 2}, 0};
  for (int i = 0; i < 5; ++i) core.record(call_by("ann", "denied"), second);
  core.record(call_by("bob", "denied"), second);
  core.record(call_by("ann"), second);
  EXPECT_EQ(taken(core, second).size(), 4U) << "others, and what is done, are recorded";
  EXPECT_EQ(core.left_out(), 3U);
  EXPECT_EQ(core.due_ns(), second + minute);
  EXPECT_TRUE(taken(core, minute).empty());
  const auto rest = taken(core, second + minute);
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].user, "ann");
  EXPECT_EQ(rest[0].via, "nats");
  EXPECT_EQ(rest[0].method, "");
  EXPECT_EQ(rest[0].outcome, outcome::left_out);
  EXPECT_EQ(rest[0].left_out, 3U);
  EXPECT_EQ(core.due_ns(), std::nullopt);
  core.record(call_by("ann", "denied"), second + minute);
  EXPECT_EQ(taken(core, second + minute).size(), 1U) << "a new window has begun";
}

TEST(audit_core, begins_a_new_window_by_a_call_that_comes_after_its_end) {
  audit_core core{{.refusals_per_caller = 1}, 0};
  core.record(call_by("ann", "denied"), 0);
  core.record(call_by("ann", "denied"), 1);
  core.record(call_by("ann", "denied"), minute);
  const auto all = taken(core, minute);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1].left_out, 1U);
  EXPECT_EQ(all[2].outcome, "denied");
}

TEST(audit_core, bounds_the_refusals_of_callers_who_invent_names) {
  audit_core core{{.refusals_per_caller = 2, .refusals_in_all = 3}, 0};
  for (int i = 0; i < 1'000; ++i) core.record(call_by("u" + std::to_string(i), "denied"), 0);
  const auto all = taken(core, minute);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[3].user, "");
  EXPECT_EQ(all[3].left_out, 997U);
}

call_recorded log_in(const std::string& user, const std::string& peer) {
  auto out = call_by(user, "denied");
  out.via = "rest";
  out.method = "log-in";
  out.peer = peer;
  return out;
}

TEST(audit_core, joins_refused_log_ins_of_a_name_and_an_address) {
  audit_core core{{}, 0};
  for (int port = 1; port <= 100; ++port)
    core.record(log_in("ann", "10.0.0.1:" + std::to_string(port)), 0);
  core.record(log_in("ann", "10.0.0.2:1"), 0);
  core.record(log_in("bob", "10.0.0.1:1"), 0);
  const auto all = taken(core, minute);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].peer, "10.0.0.1:1");
  EXPECT_EQ(all[1].peer, "10.0.0.2:1");
  EXPECT_EQ(all[2].user, "bob");
  EXPECT_EQ(all[3].method, "log-in");
  EXPECT_EQ(all[3].user, "ann");
  EXPECT_EQ(all[3].peer, "10.0.0.1");
  EXPECT_EQ(all[3].outcome, outcome::left_out);
  EXPECT_EQ(all[3].left_out, 99U);
  EXPECT_EQ(all[3].summary, "99 more calls were refused in the same minute");
}

TEST(audit_core, writes_little_of_a_flood_of_names_from_one_address) {
  audit_core core{{}, 0};
  for (int i = 0; i < 10'000; ++i)
    core.record(log_in("u" + std::to_string(i), "10.0.0.1:" + std::to_string(i % 64)), 0);
  core.record(log_in("ann", "10.0.0.2:1"), 1);
  const auto all = taken(core, minute);
  ASSERT_EQ(all.size(), 7U);
  EXPECT_EQ(all[5].user, "ann") << "others are recorded";
  EXPECT_EQ(all[6].user, "");
  EXPECT_EQ(all[6].left_out, 9'995U);
}

TEST(audit_core, counts_all_refusals_while_there_is_no_room_for_them) {
  audit_core core{{}, 0};
  core.record(call_by("ann", "out_of_space"), 0, false);
  core.record(call_by("ann"), 0, false);
  const auto all = taken(core, 1, true);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].outcome, outcome::ok);
  EXPECT_EQ(all[1].left_out, 1U) << "the end does not wait for the end of the window";
}

TEST(audit_core, keeps_no_more_than_may_wait) {
  audit_core core{{.waiting_max = 2}, 0};
  for (int i = 0; i < 5; ++i) core.record(call_by("ann"), 0);
  EXPECT_EQ(core.waiting(), 2U);
  EXPECT_EQ(taken(core, 0).size(), 2U);
  const auto rest = taken(core, minute);
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].left_out, 3U);
}

TEST(audit_core, records_once_in_an_hour_what_is_shown_to_one_who_asks_again_and_again) {
  audit_core core{{}, 0};
  const auto read_by = [](const std::string& user, const std::string& job) {
    auto out = call_by(user);
    out.method = "Logs.Read";
    out.summary = "job " + job;
    return out;
  };
  for (int i = 0; i < 1'000; ++i) core.record_shown(read_by("ann", "one"), i * second / 5);
  EXPECT_EQ(taken(core, minute).size(), 1U);
  EXPECT_EQ(core.left_out(), 0U);
  core.record_shown(read_by("ann", "two"), minute);
  core.record_shown(read_by("bob", "one"), minute);
  EXPECT_EQ(taken(core, minute).size(), 2U) << "another job, and another caller";
  core.record_shown(read_by("ann", "one"), 60 * minute);
  EXPECT_EQ(taken(core, 60 * minute).size(), 1U) << "the hour is over";
}

TEST(audit_core, records_once_in_an_hour_what_is_refused_to_one_who_asks_again_and_again) {
  for (const auto* result : {"not_found", "denied", "unreachable"}) {
    audit_core core{{.refusals_per_caller = 2}, 0};
    const auto read = [&](const std::string& outcome) {
      auto out = call_by("ann", outcome);
      out.method = "Logs.Read";
      out.summary = "job one";
      return out;
    };
    for (int i = 0; i < 1'000; ++i) core.record_shown(read(result), i);
    core.record(call_by("ann", "denied"), second);
    EXPECT_EQ(taken(core, second).size(), 2U)
        << "there is room for what the caller tries to change";
    EXPECT_EQ(core.left_out(), 0U);
    core.record_shown(read(std::string{outcome::ok}), second);
    EXPECT_EQ(taken(core, second).size(), 1U) << "another outcome";
    core.record_shown(read(result), 60 * minute);
    EXPECT_EQ(taken(core, 60 * minute).size(), 1U) << "the hour is over";
  }
}

TEST(audit_core, counts_refusals_to_show_something_as_others) {
  audit_core core{{.refusals_per_caller = 2}, 0};
  const auto denied = [](int object) {
    auto out = call_by("ann", "denied");
    out.summary = std::to_string(object);
    return out;
  };
  for (int i = 0; i < 5; ++i) core.record_shown(denied(i), 0);
  EXPECT_EQ(taken(core, 0).size(), 2U);
  EXPECT_EQ(core.left_out(), 3U);
  core.record_shown(denied(4), 2 * minute);
  EXPECT_EQ(taken(core, 2 * minute).size(), 2U) << "what was counted and the first record of it";
  core.record_shown(denied(5), 2 * minute, false);
  core.record_shown(denied(5), 2 * minute);
  EXPECT_EQ(taken(core, 2 * minute).size(), 1U) << "what a full log kept out is recorded later";
}

TEST(audit_core, remembers_only_so_much_of_what_was_shown) {
  audit_core core{{.shown_max = 2}, 0};
  for (const auto* user : {"ann", "bob", "eve", "ann"}) core.record_shown(call_by(user), 0);
  EXPECT_EQ(taken(core, 0).size(), 4U);
}

TEST(audit_core, makes_texts_plain_and_short) {
  EXPECT_EQ(plain_text("f\u00fcr\n\x1b\xff!", 100),
            "f\u00fcr?"
            "?"
            "?!");
  EXPECT_EQ(plain_text("a\u00fc", 2), "a...") << "no character is cut in two";
  EXPECT_EQ(plain_text("", 2), "");
  audit_core core{{}, 0};
  auto call = call_by(std::string(10'000, 'u'));
  call.queue = "q\xc3";
  core.record(call, 0);
  const auto all = taken(core, 0);
  EXPECT_EQ(all[0].user.size(), 515U);
  EXPECT_EQ(all[0].queue, "q?");
}

TEST(audit_retention, ends_records_by_age_and_those_that_are_too_many) {
  retention_config config;
  config.audit = std::chrono::nanoseconds{100};
  config.audit_records_max = 10;
  oldest_kept kept;
  EXPECT_FALSE(expire_due(config, kept, 1'000));
  kept.audit_ns = 900;
  kept.audit_first = 1;
  kept.audit_last = 10;
  EXPECT_FALSE(expire_due(config, kept, 1'000));
  const auto by_age = expire_due(config, kept, 1'001);
  ASSERT_TRUE(by_age);
  EXPECT_EQ(std::get<model::history_expired>(by_age->payload).audit_before_ns, 901);
  EXPECT_FALSE(may_be_too_many_calls(config, kept));
  kept.audit_last = 11;
  EXPECT_TRUE(may_be_too_many_calls(config, kept));
  const auto surplus = expire_due(config, kept, 1'000, {4, 7});
  ASSERT_TRUE(surplus);
  EXPECT_THAT(std::get<model::history_expired>(surplus->payload).audit_numbers,
              ::testing::ElementsAre(4U, 7U));
  EXPECT_FALSE(expire_due(config, kept, 1'000));
  EXPECT_FALSE(may_be_too_many_calls(config, {})) << "there are none";
}

}  // namespace
}  // namespace argosy::ledger
