// SPDX-License-Identifier: Apache-2.0
// Goal: the record of a round comes out of the log as it went in, and takes no more room there than
// was reckoned with. Method: records with all fields set are encoded and decoded.
#include <gtest/gtest.h>

#include "messages/codec/log/event_size.hpp"
#include "messages/codec/log/log_codec.hpp"
#include "tests/unit/codec/model_fixture.hpp"

namespace argosy::codec {
namespace {

model::round_decided round_passed(const model::round_decided& round) {
  const model::event event{12345, "", round};
  const auto bytes = encode_event(event, true);
  EXPECT_LE(bytes.size(), size_hint(event));
  const auto decoded = decode_event(bytes);
  EXPECT_TRUE(decoded) << to_string(decoded.error());
  return decoded ? std::get<model::round_decided>(decoded->payload) : model::round_decided{};
}

TEST(round_codec, the_record_of_a_round_says_which_it_was_and_what_came_of_it) {
  const auto round = round_passed(model::round_decided{1, {2}, "p", 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(round.number, 1U);
  EXPECT_EQ(round.snapshot_position.value, 2U);
  EXPECT_EQ(round.pool, "p");
  EXPECT_EQ(round.seed, 3U);
  EXPECT_EQ(round.config_version, 4U);
  EXPECT_EQ(round.digest, 5U);
  EXPECT_EQ(round.leases, 6U);
  EXPECT_EQ(round.preemptions, 7U);
  EXPECT_EQ(round.duration_ns, 8);
}

TEST(round_codec, the_record_of_a_round_has_all_that_it_takes_to_decide_it_again) {
  model::round_decided handing;
  handing.carried.push_back({model::carried_entry::kind::usage, "p", "a", {}, false, 7, 0.1, 2.5});
  handing.carried.push_back({model::carried_entry::kind::preempted, "", "", id_of(3), true});
  handing.carried.push_back(
      {model::carried_entry::kind::penalty, "p", "a", id_of(4), false, 9, 0, 0, {{"cpu", 1000}}});
  model::carried_entry node{model::carried_entry::kind::node_health, "", "c/n"};
  node.health = {{0.25, 9, 7, 11}, {0.75, 8, 1, 12}, "no space", {13, 14, "it refused 3 starts"}};
  handing.carried.push_back(node);
  handing.carried.push_back({model::carried_entry::kind::queue_tokens, "", "a"});
  handing.carried.back().slowed = 0.25;
  handing.carried.push_back(
      {model::carried_entry::kind::queue_resources, "", "a", {}, false, 3, -2.5});
  handing.carried.back().resource = "cpu";
  EXPECT_EQ(round_passed(handing).carried, handing.carried);
  handing.began_ns = 9;
  handing.draw_limit = 17;
  handing.before = {{model::carried_entry::kind::closed_node, "", "c/n", {}, false, 0, 2}};
  handing.cuts = {{"research", {10}, {11}}};
  EXPECT_EQ(round_passed(handing).began_ns, 9);
  EXPECT_EQ(round_passed(handing).draw_limit, 17U);
  EXPECT_EQ(round_passed(handing).before, handing.before);
  EXPECT_EQ(round_passed(handing).cuts, handing.cuts);
}

TEST(round_codec, the_size_of_a_record_is_reckoned_with_all_that_rounds_hand_on) {
  model::round_decided round;
  round.pool = model::pool_name{std::string(60, 'p')};
  for (int i = 0; i < 5'000; ++i) {
    model::carried_entry entry{model::carried_entry::kind::penalty, round.pool, "queue", id_of(4)};
    entry.time_ns = 1'700'000'000'000'000'000;
    entry.amounts = {{"cpu", 1'000}, {"memory", 1 << 30}, {"nvidia.com/gpu", 8}};
    (i % 2 == 0 ? round.carried : round.before).push_back(entry);
    round.cuts.push_back({model::queue_name{std::string(40, 'q')}, {~0ULL}, {~0ULL}});
  }
  EXPECT_EQ(round_passed(round).cuts.size(), 5'000U);
}

}  // namespace
}  // namespace argosy::codec
