// SPDX-License-Identifier: Apache-2.0
// Goal: /metrics has every family of the board, and /status the JSON that it is given. Method: a
// server with a probe of the test; the JSON is compared as text.
#include <gmock/gmock.h>
#include <prometheus/metric_family.h>

#include <limits>

#include "runtime/health/health_server.hpp"
#include "runtime/health/metrics.hpp"
#include "runtime/health/status_json.hpp"
#include "tests/unit/health/http_get.hpp"

namespace argosy::health {

namespace {

using ::testing::HasSubstr;

struct door_probe final : metrics::probe {
  door_probe() : probe("door") {}
  metrics::counter opened{*this, "argosy_door_opened_total", "Times.", {{"by", "wind"}}};
  metrics::gauge open{*this, "argosy_door_open", "1 while it is open."};
};

}  // namespace

TEST(probe_metrics, come_as_text_with_help_type_and_labels) {
  const auto board = metrics::make_board();
  server_config config;
  config.metrics = {probe_metrics(board)};
  const auto running = server::start(std::move(config));
  ASSERT_TRUE(running);
  // The part comes after the server.
  const auto door = board->get<door_probe>();
  ++door->opened;
  door->open.set(-1);
  EXPECT_EQ(tests::http_get((*running)->port(), "/metrics").body,
            "# HELP argosy_door_opened_total Times.\n"
            "# TYPE argosy_door_opened_total counter\n"
            "argosy_door_opened_total{by=\"wind\"} 1\n"
            "# HELP argosy_door_open 1 while it is open.\n"
            "# TYPE argosy_door_open gauge\n"
            "argosy_door_open -1\n");
}

TEST(metrics_text, escapes_labels_and_writes_numbers_in_full) {
  class odd final : public prometheus::Collectable {
   public:
    std::vector<prometheus::MetricFamily> Collect() const override {
      prometheus::MetricFamily times;
      times.name = "t";
      times.help = "a\\b\nc";
      times.type = prometheus::MetricType::Histogram;
      auto& one = times.metric.emplace_back();
      one.label.push_back({"q", "a\"b\\c\nd"});
      one.histogram.sample_count = 3;
      one.histogram.sample_sum = 1'700'000'000.25;
      one.histogram.bucket = {{2, 0.1}, {3, std::numeric_limits<double>::infinity()}};
      return {times};
    }
  };
  EXPECT_EQ(metrics_text({std::make_shared<odd>()}),
            "# HELP t a\\\\b\\nc\n"
            "# TYPE t histogram\n"
            "t_count{q=\"a\\\"b\\\\c\\nd\"} 3\n"
            "t_sum{q=\"a\\\"b\\\\c\\nd\"} 1700000000.25\n"
            "t_bucket{q=\"a\\\"b\\\\c\\nd\",le=\"0.1\"} 2\n"
            "t_bucket{q=\"a\\\"b\\\\c\\nd\",le=\"+Inf\"} 3\n");
}

TEST(status_page, is_there_when_somebody_makes_it) {
  server_config config;
  config.status = [] { return std::string{"{}\n"}; };
  const auto running = server::start(std::move(config));
  ASSERT_TRUE(running);
  const auto reply = tests::http_get((*running)->port(), "/status");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "{}\n");
  EXPECT_THAT(reply.head, HasSubstr("application/json"));
  const auto without = server::start({});
  ASSERT_TRUE(without);
  EXPECT_EQ(tests::http_get((*without)->port(), "/status").status, 404);
}

TEST(status_json, has_a_line_for_each_part) {
  EXPECT_EQ(
      status_json(
          {{"feed", 12, 1, {{{"job_set", "a\"b"}, {"unsent", 3.0}}, {}}}, {"round", 0, 0, {}}}),
      "{\"parts\":[\n"
      R"({"part":"feed","actors":12,"silent":1,"answers":[{"job_set":"a\"b","unsent":3},{}]},)"
      "\n"
      R"({"part":"round","actors":0,"silent":0,"answers":[]})"
      "\n]}\n");
  EXPECT_EQ(status_json({}), "{\"parts\":[\n]}\n");
}

TEST(status_json, writes_large_numbers_in_full) {
  EXPECT_THAT(status_json({{"x", 1, 0, {{{"n", 1'700'000'000'123.0}, {"r", 0.25}}}}}),
              HasSubstr(R"({"n":1700000000123,"r":0.25})"));
}

}  // namespace argosy::health
