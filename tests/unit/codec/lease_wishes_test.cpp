// SPDX-License-Identifier: Apache-2.0
// Goal: a job's wishes about lost leases are read, refused where they make no sense, and kept in
// log and orders. Method: annotations and headers, encoded and decoded.
#include "messages/codec/submit/own_annotations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages/codec/agent/agent_codec.hpp"
#include "messages/codec/log/log_codec.hpp"
#include "tests/unit/codec/model_fixture.hpp"

namespace argosy::codec {
namespace {

using annotation_map = google::protobuf::Map<std::string, std::string>;
using model::lease_policy;
using ::testing::HasSubstr;

annotation_map with(const char* key, const std::string& value) {
  annotation_map out;
  out[key] = value;
  return out;
}

TEST(lease_wishes, are_read) {
  const std::pair<const char*, lease_policy> all[] = {
      {"requeueAfterLease", lease_policy::requeue_after_lease},
      {"requeueAfterConfirmation", lease_policy::requeue_after_confirmation},
      {"fail", lease_policy::fail}};
  for (const auto& [text, policy] : all) {
    const auto annotations = with(lease_expiry_key, text);
    EXPECT_TRUE(check_lease_wishes(annotations, "job"));
    model::job_header header;
    take_lease_wishes(annotations, header);
    EXPECT_EQ(header.on_lease_expiry, policy);
    EXPECT_FALSE(header.keep_on_disconnect);
  }
  model::job_header header;
  take_lease_wishes(with(keep_on_disconnect_key, "true"), header);
  EXPECT_TRUE(header.keep_on_disconnect);
  EXPECT_FALSE(header.on_lease_expiry);
  EXPECT_FALSE(header.held);
  take_lease_wishes(with(hold_key, "true"), header);
  EXPECT_TRUE(header.held);
}

TEST(lease_wishes, nonsense_is_refused_at_its_place) {
  const auto policy = check_lease_wishes(with(lease_expiry_key, "never"), "items[0]");
  ASSERT_FALSE(policy);
  EXPECT_EQ(policy.error().code, ec::invalid_argument);
  EXPECT_THAT(policy.error().detail,
              HasSubstr("items[0].annotations[\"argosy.io/onLeaseExpiry\"]"));
  EXPECT_FALSE(check_lease_wishes(with(keep_on_disconnect_key, "yes"), "items[0]"));
  EXPECT_FALSE(check_lease_wishes(with(hold_key, "yes"), "items[0]"));
  EXPECT_TRUE(check_lease_wishes(with(hold_key, "false"), "items[0]"));
}

TEST(lease_wishes, name_a_job_and_say_what_preemption_does) {
  auto annotations = with(name_key, "train");
  annotations[on_preempted_key] = "end";
  annotations[on_dependency_failed_key] = "hold";
  ASSERT_TRUE(check_lease_wishes(annotations, "job"));
  model::job_header header;
  take_lease_wishes(annotations, header);
  EXPECT_EQ(header.name, "train");
  EXPECT_EQ(header.requeue_if_preempted, false);
  EXPECT_TRUE(header.hold_if_unmet);
  for (const auto& [key, value] :
       std::vector<std::pair<const char*, std::string>>{{name_key, ""},
                                                        {name_key, "a,b"},
                                                        {name_key, std::string(64, 'x')},
                                                        {name_key, "a\nb"},
                                                        {on_preempted_key, "yes"},
                                                        {on_dependency_failed_key, "ignore"},
                                                        {after_key, "a:later"},
                                                        {after_key, ""},
                                                        {array_key, "3"},
                                                        {array_key, "x/4"}})
    EXPECT_FALSE(check_lease_wishes(with(key, value), "job")) << key << " " << value;
}

TEST(lease_wishes, of_a_job_about_others_come_back_from_the_log) {
  auto header = some_header();
  header->name = "train[3]";
  header->requeue_if_preempted = false;
  header->hold_if_unmet = true;
  header->after = std::make_shared<const std::vector<model::job_dependency>>(
      std::vector<model::job_dependency>{{id_of(4), model::dependency_condition::ended},
                                         {id_of(5), model::dependency_condition::started}});
  const auto read =
      decode_event(encode_event({1, header->queue, model::job_submitted{header}}, false));
  ASSERT_TRUE(read) << read.error().detail;
  const auto& got = *std::get<model::job_submitted>(read->payload).header;
  EXPECT_EQ(got.name, header->name);
  EXPECT_EQ(got.requeue_if_preempted, header->requeue_if_preempted);
  EXPECT_TRUE(got.hold_if_unmet);
  ASSERT_TRUE(got.after);
  EXPECT_EQ(*got.after, *header->after);
}

TEST(lease_wishes, stand_in_the_log) {
  for (const auto wish : {std::optional<lease_policy>{}, std::optional{lease_policy::fail},
                          std::optional{lease_policy::requeue_after_lease}}) {
    auto header = some_header();
    header->on_lease_expiry = wish;
    header->keep_on_disconnect = wish.has_value();
    const auto read =
        decode_event(encode_event({1, header->queue, model::job_submitted{header}}, false));
    ASSERT_TRUE(read) << read.error().detail;
    const auto& got = *std::get<model::job_submitted>(read->payload).header;
    EXPECT_EQ(got.on_lease_expiry, wish);
    EXPECT_EQ(got.keep_on_disconnect, wish.has_value());
  }
}

TEST(outcomes, an_unknown_exit_code_stays_unknown) {
  const model::run_key run{id_of(1), 1};
  for (const auto code : {std::optional<std::int32_t>{}, std::optional{0}, std::optional{137}}) {
    const model::run_outcome outcome{code, 0, "Error", "text"};
    const auto read = decode_event(encode_event({1, "q", model::run_failed{run, outcome}}, false));
    ASSERT_TRUE(read) << read.error().detail;
    EXPECT_EQ(std::get<model::run_failed>(read->payload).outcome, outcome);
  }
}

TEST(events, notes_and_expiry_come_back) {
  const model::run_key run{id_of(1), 2};
  const model::run_usage usage{{{"cpu", "1"}}, {{"cpu", "2"}}, {{"cpu", "3"}}};
  const auto noted = decode_event(
      encode_event({1, "q", model::run_noted{run, "a note", {"u", {{5, "h"}}}, usage}}, false));
  ASSERT_TRUE(noted);
  EXPECT_EQ(std::get<model::run_noted>(noted->payload).note, "a note");
  EXPECT_EQ(std::get<model::run_noted>(noted->payload).run, run);
  EXPECT_EQ(std::get<model::run_noted>(noted->payload).pod, (model::pod_facts{"u", {{5, "h"}}}));
  EXPECT_EQ(std::get<model::run_noted>(noted->payload).usage, usage);
  const std::vector<model::ended_before> ended{{"q", model::job_state::failed, 7},
                                               {"r", model::job_state::rejected, -8}};
  const auto expired =
      decode_event(encode_event({1, "", model::history_expired{1, 3, 4, 5, ended}}, false));
  ASSERT_TRUE(expired);
  const auto& limits = std::get<model::history_expired>(expired->payload);
  EXPECT_EQ(limits.events_before_ns, 1);
  EXPECT_EQ(limits.client_ids_before_ns, 3);
  EXPECT_EQ(limits.records_max, 4U);
  EXPECT_EQ(limits.ended, ended);
}

TEST(events, expiry_of_an_unknown_state_is_refused) {
  const std::vector<model::ended_before> ended{{"q", static_cast<model::job_state>(9), 7}};
  const auto expired =
      decode_event(encode_event({1, "", model::history_expired{1, 3, 4, 5, ended}}, false));
  ASSERT_FALSE(expired);
  EXPECT_EQ(expired.error().code, ec::corrupt);
}

}  // namespace
}  // namespace argosy::codec
