// SPDX-License-Identifier: Apache-2.0
// Goal: every append ends exactly once, batches follow one another without a gap, and one is
// committed when both of its halves are. Method: inputs in order, and what the core answers.
#include "messages/batches/batch_core.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "messages/codec/log/log_codec.hpp"

namespace argosy::batches {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

native::append_ptr append_of(const model::queue_name& queue, std::size_t bytes = 100) {
  auto out = std::make_shared<native::append_request>();
  out->events.push_back({1, queue, model::queue_deleted{}});
  out->bytes = bytes;
  return out;
}

view::view_position after(std::uint64_t position) {
  view::view_position out;
  out.position = {position};
  out.generation = {3};
  out.epoch = {4};
  out.batch_number = 9;
  out.hash = 77;
  out.stream_created_ns = 5;
  return out;
}

model::log_batch contents_of(const open_batch& batch) {
  auto decoded = codec::decode_batch(*batch.bytes);
  EXPECT_TRUE(decoded);
  return std::move(*decoded);
}

class batches_in_order : public ::testing::Test {
 protected:
  /// Writes one batch in both places.
  std::vector<ticket> commit() {
    if (core.begin() == nullptr) return {};
    EXPECT_FALSE(core.written_to_tail(core.open()->position));
    const auto done = core.written_to_log();
    EXPECT_TRUE(done);
    return done ? done->tickets : std::vector<ticket>{};
  }

  batch_core core{after(20), 250};
};

TEST_F(batches_in_order, take_what_waits_up_to_their_bound) {
  for (const auto* queue : {"a", "b", "c"}) (void)core.add(append_of(model::queue_name{queue}));
  EXPECT_THAT(commit(), ElementsAre(1, 2));
  EXPECT_TRUE(core.has_waiting());
  EXPECT_THAT(commit(), ElementsAre(3));
  EXPECT_THAT(commit(), IsEmpty());
}

TEST_F(batches_in_order, take_one_append_however_large) {
  (void)core.add(append_of("a", 1'000));
  (void)core.add(append_of("b", 1'000));
  EXPECT_THAT(commit(), ElementsAre(1));
  EXPECT_THAT(commit(), ElementsAre(2));
}

TEST_F(batches_in_order, that_were_put_back_come_first_and_in_smaller_batches) {
  (void)core.add(append_of("a", 10));
  (void)core.add(append_of("b", 10));
  (void)core.add(append_of("c", 10));
  ASSERT_NE(core.begin(), nullptr);
  core.put_back();
  EXPECT_EQ(core.open(), nullptr);
  ASSERT_NE(core.begin(20), nullptr);
  EXPECT_FALSE(core.written_to_log());
  const auto done = core.written_to_tail(core.open()->position);
  ASSERT_TRUE(done);
  EXPECT_THAT(done->tickets, ElementsAre(1, 2));
  EXPECT_THAT(commit(), ElementsAre(3));
}

TEST_F(batches_in_order, continue_where_the_log_ends) {
  (void)core.add(append_of("a"));
  const auto* first = core.begin();
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->position.value, 21u);
  EXPECT_EQ(first->message_id, "3.4.0.10");
  const auto contents = contents_of(*first);
  EXPECT_EQ(contents.generation.value, 3u);
  EXPECT_EQ(contents.epoch.value, 4u);
  EXPECT_EQ(contents.number, 10u);
  EXPECT_EQ(contents.previous_hash, 77u);
  const auto hash = codec::batch_hash(*first->bytes);
  (void)core.written_to_log();
  const auto done = core.written_to_tail({21});
  ASSERT_TRUE(done);
  EXPECT_EQ(done->committed->position.value, 21u);
  EXPECT_EQ(done->committed->number, 10u);
  EXPECT_EQ(done->committed->hash, hash);
  EXPECT_EQ(done->committed->entries.size(), 1u);
  (void)core.add(append_of("b"));
  ASSERT_NE(core.begin(), nullptr);
  EXPECT_EQ(contents_of(*core.open()).previous_hash, hash);
  EXPECT_EQ(core.open()->position.value, 22u);
}

TEST_F(batches_in_order, are_committed_in_either_order_of_their_halves) {
  (void)core.add(append_of("a"));
  ASSERT_NE(core.begin(), nullptr);
  EXPECT_FALSE(core.written_to_log());
  EXPECT_TRUE(core.in_log());
  EXPECT_FALSE(core.written_to_log()) << "said twice, as after a repeated attempt";
  EXPECT_EQ(core.end().position.value, 20u);
  EXPECT_TRUE(core.written_to_tail({21}));
  EXPECT_EQ(core.end().position.value, 21u);
  EXPECT_FALSE(core.written_to_tail({22})) << "nothing is under way";
}

TEST_F(batches_in_order, that_stand_alone_go_before_those_that_wait) {
  (void)core.add(append_of("a"));
  const auto& alone = core.begin_alone(append_of("b"));
  EXPECT_EQ(alone.position.value, 21u);
  EXPECT_EQ(contents_of(alone).events.at(0).queue, "b");
  (void)core.written_to_log();
  ASSERT_TRUE(core.written_to_tail({21}));
  EXPECT_THAT(commit(), ElementsAre(1));
}

TEST_F(batches_in_order, go_on_in_another_generation_behind_the_end) {
  (void)core.add(append_of("a"));
  (void)commit();
  const auto hash = core.end().hash;
  core.turn_to({4}, 6);
  (void)core.add(append_of("b"));
  const auto* first = core.begin();
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->position.value, 22u);
  EXPECT_EQ(first->message_id, "4.4.0.11");
  EXPECT_EQ(contents_of(*first).generation.value, 4u);
  EXPECT_EQ(contents_of(*first).previous_hash, hash);
  (void)core.written_to_log();
  const auto done = core.written_to_tail({22});
  ASSERT_TRUE(done);
  EXPECT_EQ(done->committed->generation.value, 4u);
  EXPECT_EQ(done->committed->generation_base.value, 21u);
  EXPECT_EQ(done->committed->stream_created_ns, 6);
}

TEST_F(batches_in_order, come_one_at_a_time) {
  (void)core.add(append_of("a"));
  ASSERT_NE(core.begin(), nullptr);
  (void)core.add(append_of("b"));
  EXPECT_EQ(core.begin(), nullptr);
  EXPECT_THAT(contents_of(*core.open()).events.size(), 1u);
}

TEST_F(batches_in_order, of_a_new_epoch_are_numbered_from_one) {
  const auto claim = core.claim({{0}, "me", {55}}, 1'000);
  EXPECT_EQ(std::get<model::leader_elected>(claim->events.at(0).payload).epoch.value, 5u);
  (void)core.add(claim);
  ASSERT_NE(core.begin(), nullptr);
  EXPECT_EQ(core.open()->message_id, "3.5.55.1");
  EXPECT_EQ(core.end().holder, "me");
}

TEST_F(batches_in_order, of_a_second_claim_leave_the_one_under_way_in_its_epoch) {
  (void)core.add(append_of("a"));
  ASSERT_NE(core.begin(), nullptr);
  const auto claim = core.claim({{57}, "me", {55}}, 1'000);
  EXPECT_EQ(std::get<model::leader_elected>(claim->events.at(0).payload).epoch.value, 57u);
  (void)core.add(claim);
  (void)core.written_to_log();
  const auto first = core.written_to_tail({21});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->committed->epoch.value, 4u);
  EXPECT_EQ(first->committed->number, 10u);
  ASSERT_NE(core.begin(), nullptr);
  EXPECT_EQ(core.open()->message_id, "3.57.55.1");
  (void)core.written_to_log();
  const auto second = core.written_to_tail({22});
  ASSERT_TRUE(second);
  EXPECT_EQ(second->committed->epoch.value, 57u);
  EXPECT_EQ(second->committed->number, 1u);
}

TEST_F(batches_in_order, move_behind_a_record_that_is_not_ours) {
  (void)core.add(append_of("a"));
  const auto bytes = core.begin()->bytes;
  core.step_over();
  EXPECT_EQ(core.open()->position.value, 22u);
  EXPECT_EQ(core.open()->message_id, "3.4.0.10");
  EXPECT_EQ(core.open()->bytes, bytes) << "the chain does not run through the other record";
  EXPECT_FALSE(core.written_to_log());
  EXPECT_FALSE(core.written_to_tail({21})) << "it was written at the place of the other record";
  const auto done = core.written_to_tail({22});
  ASSERT_TRUE(done);
  EXPECT_EQ(done->committed->position.value, 22u);
  core.step_over();
  (void)core.add(append_of("b"));
  EXPECT_EQ(core.begin()->position.value, 24u);
  EXPECT_EQ(contents_of(*core.open()).previous_hash, codec::batch_hash(*bytes));
}

TEST_F(batches_in_order, that_stop_leave_no_append_without_an_end) {
  for (int i = 0; i < 4; ++i) (void)core.add(append_of("a"));
  EXPECT_THAT(commit(), ElementsAre(1, 2));
  ASSERT_NE(core.begin(), nullptr);
  (void)core.written_to_log();
  (void)core.add(append_of("late"));
  EXPECT_THAT(core.stop({ec::fenced, "another"}), ElementsAre(3, 4, 5));
  EXPECT_TRUE(core.is_stopped());
  EXPECT_FALSE(core.written_to_tail({23}));
  EXPECT_EQ(core.begin(), nullptr);
  EXPECT_THAT(core.stop({ec::unavailable, "again"}), IsEmpty());
  EXPECT_EQ(core.why_stopped().code, ec::fenced);
}

TEST_F(batches_in_order, end_each_append_once_whatever_comes) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random{seed};
    batch_core tested{after(0), 300};
    std::set<ticket> added;
    std::multiset<ticket> ended;
    std::uint64_t position = 0;
    const auto finished = [&](const std::optional<finished_batch>& done) {
      if (!done) return;
      EXPECT_EQ(done->committed->position.value, ++position);
      ended.insert(done->tickets.begin(), done->tickets.end());
    };
    for (int step = 0; step < 100; ++step) switch (random() % 5) {
        case 0:
          added.insert(tested.add(append_of("q", 1 + random() % 400)));
          break;
        case 1:
          (void)tested.begin();
          break;
        case 2:
          finished(tested.written_to_log());
          break;
        case 3:
          if (tested.in_log()) break;
          tested.step_over();
          ++position;
          break;
        default:
          finished(tested.written_to_tail(tested.open() != nullptr ? tested.open()->position
                                                                   : model::log_position{}));
      }
    const auto rest = tested.stop({ec::unavailable, "over"});
    ended.insert(rest.begin(), rest.end());
    EXPECT_TRUE(std::equal(ended.begin(), ended.end(), added.begin(), added.end())) << seed;
  }
}

ledger::confirmation confirmed_by(const std::string& plane, const open_batch& batch) {
  return {plane, {{4}, batch.position, codec::batch_hash(*batch.bytes)}};
}

struct planes_in_order : batches_in_order {
  planes_in_order() {
    auto end = after(20);
    end.planes = {{"a", "here"}, {"b", "there"}, {"c", "elsewhere"}};
    core = batch_core{end, 250, {}, "a"};
    (void)core.add(append_of(model::queue_name{"q"}));
  }
};

TEST_F(planes_in_order, commit_what_another_one_has_whichever_part_is_last) {
  for (int last = 0; last < 3; ++last) {
    SCOPED_TRACE(last);
    auto one = core;
    const auto open = *one.begin();
    const auto by = confirmed_by("c", open);
    for (int part = 1; part < 3; ++part) switch ((last + part) % 3) {
        case 0:
          EXPECT_FALSE(one.written_to_log());
          break;
        case 1:
          EXPECT_FALSE(one.written_to_tail(open.position));
          break;
        default:
          EXPECT_FALSE(one.confirmed(by));
      }
    const auto done = last == 0   ? one.written_to_log()
                      : last == 1 ? one.written_to_tail(open.position)
                                  : one.confirmed(by);
    ASSERT_TRUE(done);
    EXPECT_THAT(done->tickets, ElementsAre(1));
  }
}

TEST_F(planes_in_order, count_no_confirmation_of_another_record_or_plane) {
  const auto open = *core.begin();
  EXPECT_FALSE(core.written_to_log());
  EXPECT_FALSE(core.written_to_tail(open.position));
  EXPECT_TRUE(core.waits_for_planes());
  auto other = confirmed_by("c", open);
  ++other.record.hash;
  EXPECT_FALSE(core.confirmed(other));
  EXPECT_FALSE(core.confirmed(confirmed_by("d", open)));
  EXPECT_FALSE(core.confirmed(confirmed_by("a", open)));
  EXPECT_TRUE(core.confirmed(confirmed_by("b", open)));
}

TEST_F(planes_in_order, change_when_two_of_both_sets_have_it) {
  auto request = std::make_shared<native::append_request>();
  request->events.push_back(
      {1, {}, model::planes_changed{{{"a", "here"}, {"b", "there"}, {"d", "elsewhere"}}}});
  const auto waiting = *core.begin();
  EXPECT_FALSE(core.written_to_log());
  EXPECT_FALSE(core.written_to_tail(waiting.position));
  ASSERT_TRUE(core.confirmed(confirmed_by("b", waiting)));
  const auto open = core.begin_alone(request);
  EXPECT_TRUE(open.tail_first);
  EXPECT_FALSE(core.written_to_log());
  EXPECT_FALSE(core.written_to_tail(open.position));
  EXPECT_FALSE(core.confirmed(confirmed_by("d", open)));
  ASSERT_TRUE(core.confirmed(confirmed_by("b", open)));
  EXPECT_EQ(core.end().planes.back().id, "d");
}

TEST_F(planes_in_order, are_replaced_by_one_alone_when_an_operator_says_so) {
  auto end = after(20);
  end.planes = {{"a", "here"}, {"b", "there"}, {"c", "elsewhere"}};
  batch_core given_up{end, 250, {}, "d"};
  given_up.give_up_planes();
  auto request = std::make_shared<native::append_request>();
  request->events.push_back({1, {}, model::planes_changed{{{"d", "here"}}}});
  const auto open = given_up.begin_alone(request);
  EXPECT_FALSE(given_up.written_to_log());
  EXPECT_TRUE(given_up.written_to_tail(open.position));
}

TEST_F(planes_in_order, count_before_a_change_that_may_not_be_committed) {
  auto end = after(20);
  end.planes_before = {{{"a", "here"}, {"b", "there"}, {"c", "elsewhere"}}};
  end.planes = {{"a", "here"}, {"b", "there"}, {"d", "elsewhere"}};
  core = batch_core{end, 250, {}, "a"};
  (void)core.add(append_of(model::queue_name{"q"}));
  const auto open = *core.begin();
  EXPECT_FALSE(core.written_to_log());
  EXPECT_FALSE(core.written_to_tail(open.position));
  EXPECT_FALSE(core.confirmed(confirmed_by("d", open)));
  EXPECT_TRUE(core.confirmed(confirmed_by("c", open)));
}

TEST(granted_claims, go_on_in_the_epoch_with_which_their_generation_began) {
  auto end = after(20);
  batch_core begun{end, 250};
  const auto claim = begun.claim({{4}, "me", {1}}, 1);
  EXPECT_EQ(std::get<model::leader_elected>(claim->events.front().payload).epoch.value, 4u);
  (void)begun.add(claim);
  EXPECT_EQ(contents_of(*begun.begin()).number, 10u);
  // A lower one cannot be claimed any more.
  batch_core other{after(20), 250};
  const auto next = other.claim({{3}, "me", {1}}, 1);
  EXPECT_EQ(std::get<model::leader_elected>(next->events.front().payload).epoch.value, 5u);
}

}  // namespace
}  // namespace argosy::batches
