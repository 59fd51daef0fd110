// SPDX-License-Identifier: Apache-2.0
// Goal: spans go to a collector as OpenTelemetry's variables say, and nobody waits for it. Method:
// variables by hand, a sender that the test drives, and bytes that are compared one by one; that
// the published protobuf reads them, interop.otlp shows.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <map>

#include "runtime/trace/export/exporter.hpp"

namespace argosy::trace::otlp {

namespace {

using namespace std::chrono_literals;
using values = std::map<std::string, std::string>;

result<std::optional<export_settings>> read(const values& all) {
  return read_environment([&](const char* name) -> std::optional<std::string> {
    const auto found = all.find(name);
    return found == all.end() ? std::nullopt : std::optional{found->second};
  });
}

finished_span named(std::string name, std::uint64_t trace = 1) {
  finished_span out;
  out.trace = {7, trace};
  out.span = 3;
  out.name = std::move(name);
  out.process = "p";
  return out;
}

}  // namespace

TEST(otel_environment, exports_nothing_unless_it_names_a_collector) {
  EXPECT_FALSE(read({})->has_value());
  EXPECT_FALSE(read({{"OTEL_EXPORTER_OTLP_ENDPOINT", ""}})->has_value());
  const values there{{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318"}};
  EXPECT_TRUE(read(there)->has_value());
  for (const auto& [name, value] :
       values{{"OTEL_SDK_DISABLED", "true"}, {"OTEL_TRACES_EXPORTER", "none"}}) {
    auto off = there;
    off[name] = value;
    EXPECT_FALSE(read(off)->has_value()) << name;
  }
}

TEST(otel_environment, reads_the_usual_variables) {
  const auto got = read({{"OTEL_EXPORTER_OTLP_ENDPOINT", "https://c:4318/"},
                         {"OTEL_EXPORTER_OTLP_HEADERS", "a=1, b=x%20y"},
                         {"OTEL_EXPORTER_OTLP_TIMEOUT", "250"},
                         {"OTEL_RESOURCE_ATTRIBUTES", "service.name=s,site=north"},
                         {"OTEL_TRACES_SAMPLER", "parentbased_traceidratio"},
                         {"OTEL_TRACES_SAMPLER_ARG", "0.25"},
                         {"OTEL_BSP_MAX_QUEUE_SIZE", "10"},
                         {"OTEL_BSP_SCHEDULE_DELAY", "7"}});
  ASSERT_TRUE(got && *got);
  const auto& settings = **got;
  EXPECT_EQ(settings.url, "https://c:4318/v1/traces");
  EXPECT_EQ(settings.headers.at(1), (std::pair<std::string, std::string>{"b", "x y"}));
  EXPECT_EQ(settings.timeout, 250ms);
  EXPECT_EQ(settings.service, "s");
  EXPECT_EQ(settings.attributes.size(), 1u);
  EXPECT_EQ(settings.ratio, 0.25);
  EXPECT_EQ(settings.queue_max, 10u);
  EXPECT_EQ(settings.delay, 7ms);
  const auto special = read({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://a"},
                             {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://b/traces"},
                             {"OTEL_SERVICE_NAME", "mine"},
                             {"OTEL_RESOURCE_ATTRIBUTES", "service.name=other"}});
  EXPECT_EQ((*special)->url, "http://b/traces") << "it is taken as it is";
  EXPECT_EQ((*special)->service, "mine");
}

TEST(otel_environment, names_the_variable_that_cannot_be_used) {
  const values there{{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"}};
  for (const auto& [name, value] : values{{"OTEL_EXPORTER_OTLP_ENDPOINT", "c:4318"},
                                          {"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"},
                                          {"OTEL_EXPORTER_OTLP_TIMEOUT", "soon"},
                                          {"OTEL_EXPORTER_OTLP_HEADERS", "novalue"},
                                          {"OTEL_TRACES_SAMPLER", "jaeger_remote"},
                                          {"OTEL_TRACES_EXPORTER", "zipkin"},
                                          {"OTEL_BSP_MAX_QUEUE_SIZE", "0"}}) {
    auto wrong = there;
    wrong[name] = value;
    const auto got = read(wrong);
    ASSERT_FALSE(got) << name;
    EXPECT_NE(got.error().detail.find(name), std::string::npos) << got.error().detail;
  }
}

TEST(otlp_message, writes_the_published_numbers) {
  auto span = named("n");
  span.start_nanos = 1;
  span.duration_nanos = 1;
  const auto bytes = encode(std::vector{span}, {"other", "", "", {}});
  // A span: its trace id (1), span id (2), name (5), kind (6), start (7) and end (8).
  const std::string encoded = std::string{"\x0a\x10\0\0\0\0\0\0\0\x07\0\0\0\0\0\0\0\x01", 18} +
                              std::string{"\x12\x08\0\0\0\0\0\0\0\x03", 10} + "\x2a\x01n" +
                              "\x30\x01" +
                              std::string{"\x39\x01\0\0\0\0\0\0\0\x41\x02\0\0\0\0\0\0\0", 18};
  EXPECT_NE(bytes.find(encoded), std::string::npos);
  EXPECT_NE(bytes.find("service.name"), std::string::npos);
  EXPECT_TRUE(encode({}, {}).empty());
}

TEST(otlp_message, writes_the_link_of_a_span_to_its_cause_in_another_trace) {
  auto span = named("n");
  EXPECT_EQ(encode(std::vector{span}, {}).find("\x6a\x1c"), std::string::npos);
  span.link = {{0, 5}, 6, true};
  const auto bytes = encode(std::vector{span}, {});
  // A link (13) with its trace id (1) and span id (2).
  const std::string link = std::string{"\x6a\x1c\x0a\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x05", 20} +
                           std::string{"\x12\x08\0\0\0\0\0\0\0\x06", 10};
  EXPECT_NE(bytes.find(link), std::string::npos);
  const auto without = encode(std::vector{named("n")}, {});
  EXPECT_EQ(without.find("\x6a\x1c"), std::string::npos) << "others have no link";
}

TEST(export_rules, decide_by_the_queue_of_a_job_before_the_name_of_its_step) {
  const export_rules rules{.ratio = 1, .ratios = {{"lease", 0}}, .queues = {{"a", 1}, {"b", 0}}};
  const auto of_queue = [](const char* queue) {
    auto out = named("lease");
    out.attributes = {{"job", "b"}, {"queue", queue}};
    return out;
  };
  EXPECT_TRUE(is_exported(of_queue("a"), rules));
  EXPECT_FALSE(is_exported(of_queue("b"), rules));
  EXPECT_FALSE(is_exported(of_queue("other"), rules)) << "its name has a rule";
  EXPECT_TRUE(is_exported(named("run"), rules));
}

TEST(export_rules, decide_by_trace_name_and_time) {
  export_rules rules{.ratio = 0.5, .ratios = {{"heartbeat", 0}}, .always_from = 1s};
  const auto low = named("submit", 1);
  auto high = named("submit", ~std::uint64_t{0});
  EXPECT_TRUE(is_exported(low, rules));
  EXPECT_FALSE(is_exported(high, rules));
  EXPECT_FALSE(is_exported(named("heartbeat"), rules));
  high.duration_nanos = 2'000'000'000;
  EXPECT_TRUE(is_exported(high, rules)) << "what was slow is exported in any case";
  auto failed = named("heartbeat");
  failed.failed = true;
  EXPECT_TRUE(is_exported(failed, rules));
  EXPECT_FALSE(is_exported(named("a"), {.ratio = 0}));
}

TEST(exporter, never_waits_and_drops_what_does_not_fit) {
  std::promise<void> let_go;
  const auto gone = let_go.get_future().share();
  std::promise<void> asked;
  std::atomic<int> requests{0};
  export_settings settings;
  settings.queue_max = 4;
  settings.batch_max = 1;
  std::shared_ptr<const export_counts> counts;
  {
    exporter out{settings, {}, {}, [&](const std::string&) -> result<int> {
                   if (++requests == 1) asked.set_value();
                   gone.wait();
                   return 200;
                 }};
    counts = out.counts();
    out.offer({named("a")});
    asked.get_future().wait();
    for (int i = 0; i < 10; ++i) out.offer({named("a")});
    EXPECT_EQ(counts->dropped, 6u) << "the collector has not answered, and nobody waited";
    let_go.set_value();
  }
  EXPECT_GE(counts->exported, 1u);
}

TEST(exporter, gives_up_what_the_collector_refuses) {
  export_settings settings;
  settings.batch_max = 2;
  std::shared_ptr<const export_counts> counts;
  {
    exporter out{settings, {}, {}, [](const std::string&) -> result<int> { return 400; }};
    counts = out.counts();
    out.offer({named("a"), named("b")});
  }
  EXPECT_EQ(counts->failed, 2u);
  EXPECT_EQ(counts->exported, 0u);
}

TEST(exporter, sends_what_is_there_when_it_ends) {
  std::shared_ptr<const export_counts> counts;
  {
    exporter out{{}, {}, {}, [](const std::string& body) -> result<int> {
                   EXPECT_FALSE(body.empty());
                   return 200;
                 }};
    counts = out.counts();
    out.offer({named("a")});
  }
  EXPECT_EQ(counts->exported, 1u);
}

}  // namespace argosy::trace::otlp
