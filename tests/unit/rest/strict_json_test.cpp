// SPDX-License-Identifier: Apache-2.0
// Goal: a request over REST is read as its caller means it or not at all, and values are those of
// protobuf's JSON. Method: texts in, messages or refusals out, for every route and every kind of
// value.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <optional>

#include "messages/codec/rest/go_json.hpp"
#include "messages/codec/rest/rest_calls.hpp"
#include "messages/proto/api/submit.pb.h"

namespace argosy::codec {
namespace {

using ::testing::HasSubstr;

template <class T>
result<T> taken(const char* verb, const char* path, std::string_view body,
                const std::vector<std::pair<std::string, std::string>>& query = {}) {
  const auto bytes = rest_request(match_route(verb, path), body, query);
  if (!bytes) return fail(bytes.error());
  T out;
  EXPECT_TRUE(out.ParseFromString(*bytes));
  return out;
}

/// What is said of a submission.
std::string refusal(std::string_view body) {
  const auto got = taken<api::JobSubmitRequest>("POST", "/v1/job/submit", body);
  EXPECT_FALSE(got) << body;
  return got ? "" : got.error().detail;
}

std::string pod_refusal(const std::string& pod) {
  return refusal(R"({"jobRequestItems":[{},{"podSpec":)" + pod + "}]}");
}

TEST(strict_json, requests_of_too_many_values_are_refused_before_they_take_memory) {
  const auto list_of = [](const std::string& one, std::size_t count) {
    std::string out = R"({"jobRequestItems":[)";
    for (std::size_t i = 0; i < count; ++i) out += one + ',';
    return out + one + "]}";
  };
  for (const auto* one : {"{}", "[]", "{\"podSpec\":{\"containers\":[{},{},{},{}]}}"})
    EXPECT_THAT(refusal(list_of(one, json_values_max / 4)), HasSubstr("too many values"));
  EXPECT_THAT(refusal(list_of("1", json_values_max)), HasSubstr("too many values"));
  EXPECT_TRUE(taken<api::JobSubmitRequest>("POST", "/v1/job/submit", list_of("{}", 90'000)));
}

TEST(strict_json, requests_are_refused_for_unknown_fields_at_every_depth) {
  EXPECT_EQ(refusal(R"({"queu":"a"})"), "the field 'queu' is not known; did you mean 'queue'?");
  EXPECT_EQ(pod_refusal(R"({"nodeSelecter":{"disk":"ssd"}})"),
            "the field 'jobRequestItems[1].podSpec.nodeSelecter' is not known; did you mean "
            "'nodeSelector'?");
  EXPECT_EQ(pod_refusal(R"({"containers":[{"resources":{"limit":{}}}]})"),
            "the field 'jobRequestItems[1].podSpec.containers[0].resources.limit' is not known; "
            "did you mean 'limits'?");
  EXPECT_EQ(pod_refusal(R"({"volumes":[{"name":"v","emptydirs":{}}]})"),
            "the field 'jobRequestItems[1].podSpec.volumes[0].emptydirs' is not known; did you "
            "mean 'emptyDir'?");
  EXPECT_EQ(pod_refusal(R"({"containers":[{"livenessProbe":{"httpGets":{"port":1}}}]})"),
            "the field 'jobRequestItems[1].podSpec.containers[0].livenessProbe.httpGets' is not "
            "known; did you mean 'httpGet'?");
  EXPECT_EQ(taken<api::JobSetCancelRequest>("POST", "/v1/jobset/cancel",
                                            R"({"filter":{"state":["QUEUED"]}})")
                .error()
                .detail,
            "the field 'filter.state' is not known; did you mean 'states'?");
}

TEST(strict_json, requests_are_refused_for_unknown_fields_whatever_the_method) {
  for (const auto& route : rest_routes()) {
    const std::string_view verb = route.verb;
    rest_match match{&route, false, {}};
    const bool by_query = verb == "GET" || verb == "DELETE";
    EXPECT_FALSE(by_query ? rest_request(match, "", {{"nosuch", "1"}})
                          : rest_request(match, R"({"nosuch":1})", {}))
        << route.pattern;
    EXPECT_FALSE(by_query && verb != "GET" ? rest_request(match, "{}", {})
                                           : rest_request(match, "", {{"nosuch", "1"}}))
        << route.pattern;
  }
}

TEST(strict_json, requests_have_no_names_that_are_no_text) {
  const auto got = rest_request(match_route("GET", "/v1/queue/%ff"), "", {});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ec::invalid_argument);
  EXPECT_EQ(got.error().detail, "the field 'name' is no text in UTF-8");
}

TEST(strict_json, requests_pass_over_unknown_fields_where_the_settings_say_so) {
  const auto match = match_route("POST", "/v1/job/submit");
  const auto bytes = rest_request(match, R"({"queue":"a","x":[{}],"jobRequestItems":[{"y":1}]})",
                                  {{"z", "1"}}, unknown_fields::passed);
  ASSERT_TRUE(bytes);
  api::JobSubmitRequest got;
  ASSERT_TRUE(got.ParseFromString(*bytes));
  EXPECT_EQ(got.queue(), "a");
  EXPECT_EQ(got.job_request_items_size(), 1);
}

TEST(strict_json, requests_are_refused_for_a_field_that_is_there_twice) {
  EXPECT_THAT(refusal(R"({"queue":"a","queue":"b"})"), HasSubstr("'queue' twice"));
  EXPECT_THAT(refusal(R"({"queue":"a","Queue":"b"})"), HasSubstr("'Queue' is there twice"));
  EXPECT_THAT(refusal(R"({"jobSetId":"a","job_set_id":"b"})"), HasSubstr("is there twice"));
  EXPECT_THAT(refusal(R"({"jobRequestItems":[{"labels":{"a":"1","a":"2"}}]})"),
              HasSubstr("'a' twice"));
  const auto twice = taken<api::StreamingQueueGetRequest>("GET", "/v1/batched/queues", "",
                                                          {{"num", "5"}, {"num", "6"}});
  EXPECT_THAT(twice.error().detail, HasSubstr("'num' is there twice"));
}

TEST(strict_json, requests_read_many_keys_in_one_object_in_linear_time) {
  std::string labels;
  for (int i = 0; i < 200'000; ++i)
    labels += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":\"\"";
  const auto got = taken<api::JobSubmitRequest>(
      "POST", "/v1/job/submit", R"({"jobRequestItems":[{"labels":{)" + labels + "}}]}");
  ASSERT_TRUE(got);
  EXPECT_EQ(got->job_request_items(0).labels_size(), 200'000);
}

template <class Number>
std::optional<Number> read_number(const std::string& written);

template <>
std::optional<std::int64_t> read_number(const std::string& written) {
  const auto got = taken<api::JobSubmitRequest>(
      "POST", "/v1/job/submit",
      R"({"jobRequestItems":[{"podSpec":{"activeDeadlineSeconds":)" + written + "}}]}");
  if (!got) return std::nullopt;
  return got->job_request_items(0).pod_spec().activedeadlineseconds();
}

template <>
std::optional<std::uint32_t> read_number(const std::string& written) {
  const auto got =
      taken<api::StreamingQueueGetRequest>("GET", "/v1/batched/queues", "", {{"num", written}});
  if (!got) return std::nullopt;
  return got->num();
}

template <>
std::optional<double> read_number(const std::string& written) {
  const auto got = taken<api::JobSubmitRequest>(
      "POST", "/v1/job/submit", R"({"jobRequestItems":[{"priority":)" + written + "}]}");
  if (!got) return std::nullopt;
  return got->job_request_items(0).priority();
}

TEST(strict_json, requests_have_whole_numbers_as_the_json_of_protobuf_has_them) {
  const std::vector<std::pair<std::string, std::int64_t>> good{
      {"5", 5},
      {"\"5\"", 5},
      {"5.0", 5},
      {"1e3", 1'000},
      {"\"1e3\"", 1'000},
      {"\"-0\"", 0},
      {"9223372036854775807", std::numeric_limits<std::int64_t>::max()},
      {"\"9223372036854775807\"", std::numeric_limits<std::int64_t>::max()},
      {"-9223372036854775808", std::numeric_limits<std::int64_t>::min()}};
  for (const auto& [written, value] : good)
    EXPECT_EQ(read_number<std::int64_t>(written), value) << written;
  for (const auto* written : {"1.5",
                              "\"1.5\"",
                              "1e-1",
                              "9223372036854775808",
                              "\"9223372036854775808\"",
                              "9223372036854775807.0",
                              "1e19",
                              "-9223372036854775809",
                              "1e999",
                              "\"\"",
                              "\" 5\"",
                              "\"5 \"",
                              "\"+5\"",
                              "\"0x5\"",
                              "\"05\"",
                              "05",
                              "\"five\"",
                              "\"NaN\"",
                              "true",
                              "[5]",
                              "{}",
                              "\"5.\"",
                              "\"true\""})
    EXPECT_FALSE(read_number<std::int64_t>(written)) << written;
  EXPECT_EQ(read_number<std::uint32_t>("4294967295"), 4'294'967'295U);
  for (const auto* written : {"4294967296", "-1", "", "1.5"})
    EXPECT_FALSE(read_number<std::uint32_t>(written)) << written;
}

TEST(strict_json, requests_have_real_numbers_as_the_json_of_protobuf_has_them) {
  EXPECT_EQ(read_number<double>("\"1.5\""), 1.5);
  EXPECT_EQ(read_number<double>("2"), 2.0);
  EXPECT_EQ(read_number<double>("\"Infinity\""), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(read_number<double>("\"NaN\"").value_or(0)));
  for (const auto* written : {"NaN", "Infinity", "\"nan\"", "\"inf\"", "1e999", "\"x\"", "true"})
    EXPECT_FALSE(read_number<double>(written)) << written;
}

TEST(strict_json, requests_take_no_other_word_for_true_and_no_null_in_lists) {
  for (const auto* written : {"1", "\"true\"", "\"\"", "[]"})
    EXPECT_THAT(pod_refusal(R"({"hostNetwork":)" + std::string{written} + "}"),
                HasSubstr("jobRequestItems[1].podSpec.hostNetwork' is not true or false"));
  EXPECT_EQ(refusal(R"({"jobRequestItems":[{},null]})"), "the field 'jobRequestItems[1]' is null");
  EXPECT_EQ(refusal(R"({"jobRequestItems":[{"labels":{"a":null}}]})"),
            "the field 'jobRequestItems[0].labels.a' is null");
  EXPECT_TRUE(taken<api::JobSubmitRequest>("POST", "/v1/job/submit",
                                           R"({"jobRequestItems":[{"podSpec":null}]})"));
}

TEST(strict_json, with_an_empty_id_do_not_mean_the_whole_set) {
  for (const auto* path : {"/v1/job/cancel", "/v1/job/preempt", "/v1/job/reprioritize"})
    for (const auto* ids : {R"("jobId":"")", R"("job_ids":[])"}) {
      const auto match = match_route("POST", path);
      ASSERT_NE(match.route, nullptr) << path;
      const auto body = std::string{R"({"queue":"q","jobSetId":"s",)"} + ids + "}";
      if (std::string_view{ids}.find("jobId\"") != std::string_view::npos &&
          std::string_view{path} != "/v1/job/cancel")
        continue;  // These know no single id.
      const auto refused = rest_request(match, body, {});
      ASSERT_FALSE(refused) << path << body;
      EXPECT_EQ(refused.error().code, ec::invalid_argument);
      EXPECT_NE(refused.error().detail.find("leave the field out"), std::string::npos);
      EXPECT_TRUE(rest_request(match, body, {}, unknown_fields::passed)) << "as Armada takes it";
    }
  EXPECT_TRUE(rest_request(match_route("POST", "/v1/job/cancel"),
                           R"({"queue":"q","jobSetId":"s","jobIds":null})", {}));
}

}  // namespace
}  // namespace argosy::codec
