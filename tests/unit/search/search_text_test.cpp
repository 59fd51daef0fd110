// SPDX-License-Identifier: Apache-2.0
// Goal: conditions as people write them mean what they seem to, and what means nothing is refused
// with the place and the fix. Method: texts beside the conditions or the sentences due.
#include "messages/codec/api/search_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace argosy::codec {
namespace {

using model::job_condition;
using model::job_field;
using model::job_match;
using model::job_state;
using ::testing::HasSubstr;

constexpr std::int64_t second = 1'000'000'000;
const search_context noon{100'000 * second, "ann"};

job_condition only(std::string_view text) {
  const auto read = parse_search_text(text, noon);
  EXPECT_TRUE(read) << text << ": " << (read ? "" : read.error().detail);
  if (!read || read->size() != 1) {
    ADD_FAILURE() << text;
    return {};
  }
  return read->front();
}

job_condition of_text(job_field field, std::vector<std::string> texts,
                      job_match match = job_match::any_of, std::string key = "") {
  return {field, match, false, std::move(key), std::move(texts), {}, {}};
}

job_condition of_number(job_field field, std::int64_t number, job_match match,
                        std::string key = "") {
  return {field, match, false, std::move(key), {}, {number}, {}};
}

TEST(search_text, compares_texts) {
  EXPECT_EQ(only("queue:research"), of_text(job_field::queue, {"research"}));
  EXPECT_EQ(only("queue=a,b"), of_text(job_field::queue, {"a", "b"}));
  EXPECT_EQ(only("set:night*"), of_text(job_field::job_set, {"night"}, job_match::starts_with));
  EXPECT_EQ(only("job-set:*night*"), of_text(job_field::job_set, {"night"}, job_match::contains));
  EXPECT_EQ(only("reason:\"out of, memory*\""), of_text(job_field::reason, {"out of, memory*"}));
  EXPECT_EQ(only("reason:*\"out of\"*"),
            of_text(job_field::reason, {"out of"}, job_match::contains));
  EXPECT_EQ(only("gang:*"), of_text(job_field::gang, {}, job_match::exists));
  EXPECT_EQ(only("owner:me"), of_text(job_field::owner, {"ann"}));
  EXPECT_EQ(only("ID:01H"), of_text(job_field::id, {"01h"}));
}

TEST(search_text, knows_annotations_and_labels_by_their_names) {
  const auto team = of_text(job_field::annotation, {"sea"}, job_match::any_of, "example.com/team");
  EXPECT_EQ(only("annotation.example.com/team:sea"), team);
  EXPECT_EQ(only("@example.com/team:sea"), team);
  EXPECT_EQ(only("label.app:*"), of_text(job_field::label, {}, job_match::exists, "app"));
}

TEST(search_text, compares_numbers_in_the_units_of_their_resources) {
  EXPECT_EQ(only("cpu>=8"), of_number(job_field::resource, 8'000, job_match::at_least, "cpu"));
  EXPECT_EQ(only("memory<64Mi"),
            of_number(job_field::resource, 64 << 20, job_match::less, "memory"));
  EXPECT_EQ(only("resource.example.com/fpga>1"),
            of_number(job_field::resource, 1, job_match::greater, "example.com/fpga"));
  EXPECT_EQ(only("gpu:4"), of_number(job_field::resource, 4, job_match::any_of, "nvidia.com/gpu"));
  EXPECT_EQ(only("exit:137"), of_number(job_field::exit_code, 137, job_match::any_of));
  EXPECT_EQ(only("priority<=-5"), of_number(job_field::priority, -5, job_match::at_most));
}

TEST(search_text, takes_ages_back_from_now) {
  const auto two_hours_ago = noon.now_ns - 7'200 * second;
  EXPECT_EQ(only("age>2h"), of_number(job_field::submitted, two_hours_ago, job_match::less));
  EXPECT_EQ(only("changed<2h"), of_number(job_field::changed, two_hours_ago, job_match::greater));
  EXPECT_EQ(only("submitted>=1970-01-02"),
            of_number(job_field::submitted, 86'400 * second, job_match::at_least));
  EXPECT_EQ(only("submitted<1970-01-01T00:00:05Z"),
            of_number(job_field::submitted, 5 * second, job_match::less));
}

TEST(search_text, knows_states_one_by_one_and_by_kind) {
  const auto of_states = [](std::vector<job_state> states) {
    return job_condition{job_field::state, job_match::any_of, false, {}, {}, {}, std::move(states)};
  };
  EXPECT_EQ(only("state:failed,PREEMPTED"), of_states({job_state::failed, job_state::preempted}));
  EXPECT_EQ(only("state:active"), of_states({job_state::queued, job_state::leased,
                                             job_state::pending, job_state::running}));
  EXPECT_EQ(only("state:ended"),
            of_states({job_state::succeeded, job_state::failed, job_state::preempted,
                       job_state::cancelled, job_state::rejected}));
}

TEST(search_text, negates_by_a_minus_or_an_unequal_sign) {
  EXPECT_TRUE(only("-queue:a").negated);
  EXPECT_TRUE(only("queue!=a").negated);
  EXPECT_FALSE(only("-queue!=a").negated);
}

TEST(search_text, joins_terms_by_and) {
  const auto read = parse_search_text("  state:failed\tqueue:a \n age<1d ", noon);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->size(), 3u);
  EXPECT_TRUE(parse_search_text("", noon)->empty());
}

TEST(search_text, says_what_it_does_not_understand) {
  const auto why = [](std::string_view text) {
    const auto read = parse_search_text(text, noon);
    EXPECT_FALSE(read) << text;
    return read ? "" : read.error().detail;
  };
  EXPECT_THAT(why("failed"), HasSubstr("'failed' is no condition; write FIELD:VALUE"));
  EXPECT_THAT(why("queue"), HasSubstr("'queue' is no condition"));
  EXPECT_THAT(why(":x"), HasSubstr("is no condition"));
  EXPECT_THAT(why("quene:a"), HasSubstr("no field 'quene'; did you mean 'queue'?"));
  EXPECT_THAT(why("state:faild"), HasSubstr("ever in state 'faild'"));
  EXPECT_THAT(why("cpu:many"), HasSubstr("cpu: "));
  EXPECT_THAT(why("cpu:1,5*"), HasSubstr("stands alone"));
  EXPECT_THAT(why("queue>a"), HasSubstr("queue cannot be compared in this way"));
  EXPECT_THAT(why("age>soon"), HasSubstr("'soon' is not a duration"));
  EXPECT_THAT(why("submitted>soon"), HasSubstr("'soon' is not a time"));
  EXPECT_THAT(why("annotation:x"), HasSubstr("write annotation.NAME:VALUE"));
  EXPECT_THAT(why("queue.x:y"), HasSubstr("queue has no part 'x'"));
  EXPECT_THAT(why("queue:\"open"), HasSubstr("has no end"));
  EXPECT_THAT(why("queue:a*b"), HasSubstr("at the beginning or the end"));
  EXPECT_THAT(why("queue:*b"), HasSubstr("write '*b*'"));
  EXPECT_THAT(why("exit:x"), HasSubstr("exitCode: 'x' is not a whole number"));
  EXPECT_THAT(why("id:*"), HasSubstr("jobId cannot be compared"));
  EXPECT_THAT(why(std::string(20'000, 'x')), HasSubstr("at most 16384"));
}

}  // namespace
}  // namespace argosy::codec
