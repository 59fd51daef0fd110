// SPDX-License-Identifier: Apache-2.0
// Goal: searches of the API are read as they are meant, and wrong ones are refused with the fix.
// Method: requests beside what they mean, cursors there and back.
#include "messages/codec/api/search_codec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace argosy::codec {
namespace {

using model::job_field;
using model::job_match;
using ::testing::HasSubstr;

v1::JobCondition& add(v1::FindJobsRequest& to, const std::string& field, const std::string& match,
                      const std::vector<std::string>& values, const std::string& key = "") {
  auto& out = *to.add_conditions();
  out.set_field(field);
  out.set_match(match);
  out.set_key(key);
  for (const auto& value : values) out.add_values(value);
  return out;
}

std::string why(const v1::FindJobsRequest& request) {
  const auto read = from_wire(request, {});
  EXPECT_FALSE(read);
  return read ? "" : read.error().detail;
}

TEST(search_codec, adds_conditions_to_those_of_the_text) {
  v1::FindJobsRequest request;
  request.set_where("queue:a");
  add(request, "state", "anyOf", {"FAILED", "queued"}).set_negated(true);
  add(request, "cpu", "greaterThan", {"1500m"});
  add(request, "annotation", "exists", {}, "team");
  request.set_active_job_sets(true);
  const auto read = from_wire(request, {});
  ASSERT_TRUE(read) << read.error().detail;
  ASSERT_EQ(read->conditions.all.size(), 4u);
  EXPECT_TRUE(read->conditions.active_job_sets);
  EXPECT_EQ(read->conditions.all[0].field, job_field::queue);
  EXPECT_TRUE(read->conditions.all[1].negated);
  EXPECT_EQ(read->conditions.all[2].numbers, std::vector<std::int64_t>{1'500});
  EXPECT_EQ(read->conditions.all[3].match, job_match::exists);
  EXPECT_EQ(read->conditions.all[3].key, "team");
}

TEST(search_codec, bounds_what_a_page_holds_and_skips) {
  v1::FindJobsRequest request;
  EXPECT_EQ(from_wire(request, {})->limit, 10'000u);
  request.set_limit(5);
  EXPECT_EQ(from_wire(request, {})->limit, 5u);
  request.set_limit(1'000'000);
  EXPECT_EQ(from_wire(request, {})->limit, 10'000u);
  request.set_skip(100'001);
  EXPECT_THAT(why(request), HasSubstr("go on with the cursor"));
}

TEST(search_codec, cursors_come_back_as_they_went) {
  const model::search_place by_id{{}, ulid_from_hash(7, 8, 9)};
  v1::FindJobsRequest request;
  request.set_cursor(cursor_of(by_id));
  EXPECT_EQ(*from_wire(request, {})->after, by_id);
  const model::search_place by_key{std::string{"a\0:b", 4}, by_id.id};
  request.set_order_by("queue");
  request.set_cursor(cursor_of(by_key));
  EXPECT_EQ(*from_wire(request, {})->after, by_key);
  request.set_order_by("");
  EXPECT_THAT(why(request), HasSubstr("is no cursor of this search"));
  request.set_cursor("zz:01h");
  request.set_order_by("queue");
  EXPECT_THAT(why(request), HasSubstr("is no cursor of this search"));
}

TEST(search_codec, refuses_what_fields_do_not_have) {
  const auto refused = [](const std::string& field, const std::string& match,
                          const std::vector<std::string>& values) {
    v1::FindJobsRequest request;
    add(request, field, match, values);
    return why(request);
  };
  EXPECT_THAT(refused("colour", "exact", {"red"}), HasSubstr("jobs have no field 'colour'"));
  EXPECT_THAT(refused("queue", "near", {"a"}), HasSubstr("there is no match 'near'"));
  EXPECT_THAT(refused("queue", "lessThan", {"a"}),
              HasSubstr("queue does not have the match 'lessThan'"));
  EXPECT_THAT(refused("state", "contains", {"a"}), HasSubstr("state does not have the match"));
  EXPECT_THAT(refused("queue", "exact", {}), HasSubstr("not with 0"));
  EXPECT_THAT(refused("queue", "startsWith", {"a", "b"}), HasSubstr("one value, not with 2"));
  EXPECT_THAT(refused("reason", "exists", {"a"}), HasSubstr("no value, not with 1"));
  EXPECT_THAT(refused("annotation", "exact", {"a"}), HasSubstr("say which annotation"));
  EXPECT_THAT(refused("queue", "anyOf", std::vector<std::string>(1'001, "a")),
              HasSubstr("1 to 1000 values"));
  v1::FindJobsRequest many;
  for (int i = 0; i < 101; ++i) add(many, "queue", "exact", {"a"});
  EXPECT_THAT(why(many), HasSubstr("at most 100 are read"));
  v1::FindJobsRequest order;
  order.set_order_by("node");
  EXPECT_THAT(why(order), HasSubstr("jobs cannot be ordered by 'node'"));
}

TEST(search_codec, groups_by_what_has_few_values) {
  v1::GroupJobsRequest request;
  request.set_group_by("jobSet");
  EXPECT_EQ(from_wire(request, {})->by, job_field::job_set);
  request.set_group_by("annotation");
  EXPECT_FALSE(from_wire(request, {}));
  request.set_key("team");
  EXPECT_EQ(from_wire(request, {})->key, "team");
  request.set_group_by("queue");
  EXPECT_FALSE(from_wire(request, {})) << "a queue has no key";
  request.set_key("");
  request.set_group_by("cpu");
  EXPECT_FALSE(from_wire(request, {}));
  request.set_group_by("queue");
  request.set_order_by("colour");
  EXPECT_FALSE(from_wire(request, {}));
  request.set_order_by("lastTransitionTime");
  EXPECT_EQ(from_wire(request, {})->order, model::group_order::changed);
}

}  // namespace
}  // namespace argosy::codec
