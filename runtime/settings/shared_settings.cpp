// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/shared_settings.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace argosy::settings {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr std::array<std::string_view, 6> level_names{"trace",   "debug", "info",
                                                      "warning", "error", "off"};
constexpr std::array<std::string_view, 3> format_names{"automatic", "text", "json"};
constexpr std::array<std::string_view, 3> effect_names{"NoSchedule", "PreferNoSchedule",
                                                       "NoExecute"};
constexpr std::array<std::string_view, 2> operator_names{"Equal", "Exists"};

complaint check_listen(const std::string& text) {
  if (text == "off") return std::nullopt;
  const auto colon = text.rfind(':');
  const auto port = colon == std::string::npos ? "" : text.substr(colon + 1);
  std::uint16_t number = 0;
  const auto [end, code] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (colon == 0 || colon == std::string::npos || code != std::errc{} ||
      end != port.data() + port.size())
    return "must be HOST:PORT, for example 127.0.0.1:9090, or off";
  return std::nullopt;
}

complaint check_components(const label_list& components) {
  for (const auto& [name, level] : components)
    if (std::find(level_names.begin(), level_names.end(), level) == level_names.end())
      return "'" + name +
             "' needs one of the levels trace, debug, info, warning, error, off, not '" + level +
             "'";
  return std::nullopt;
}

complaint check_effect(const std::string& effect) {
  if (effect.empty() ||
      std::find(effect_names.begin(), effect_names.end(), effect) != effect_names.end())
    return std::nullopt;
  return "must be NoSchedule, PreferNoSchedule, NoExecute, or empty for every effect";
}

}  // namespace

std::span<const std::string_view> enum_names(log_level) {
  return level_names;
}

std::span<const std::string_view> enum_names(log_format) {
  return format_names;
}

std::span<const std::string_view> enum_names(taint_effect) {
  return effect_names;
}

std::span<const std::string_view> enum_names(toleration_operator) {
  return operator_names;
}

rule<std::string> not_empty() {
  return [](const std::string& text) -> complaint {
    if (text.empty()) return "must not be empty";
    return std::nullopt;
  };
}

rule<std::string> resource_name() {
  return [](const std::string& text) -> complaint {
    const auto inner = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
    };
    const auto edge = [](char c) { return c != '-' && c != '.'; };
    if (!text.empty() && text.size() <= 253 && std::all_of(text.begin(), text.end(), inner) &&
        edge(text.front()) && edge(text.back()))
      return std::nullopt;
    return "must be 1 to 253 of a-z, 0-9, '-' and '.', beginning and ending with a letter or digit";
  };
}

void describe(field_table& table, taint_settings& item) {
  table.value("key", item.key, "", not_empty());
  table.value("value", item.value, "");
  table.value("effect", item.effect, "");
}

void describe(field_table& table, toleration_settings& item) {
  table.value("key", item.key, "");
  table.value("operator", item.op, "");
  table.value("value", item.value, "");
  table.value("effect", item.effect, "", rule<std::string>{check_effect});
}

void describe_nats(field_table& table, nats_settings& item) {
  table.section("nats", "The NATS server over which all processes talk.");
  table
      .value("nats.url", item.url,
             "nats://HOST:PORT, or tls://HOST:PORT; several servers of one cluster are separated "
             "by commas. A token may stand in it as nats://TOKEN@HOST:PORT.")
      .secret_url = true;
  table.value("nats.tokenFile", item.token_file,
              "A file whose first line is the token; it should be readable by its owner only.");
  table.value("nats.caFile", item.ca_file,
              "Certificates (PEM) by which a tls:// server is checked; empty for the system's.");
  table.value("nats.connectTimeout", item.connect_timeout, "For one attempt to connect.",
              at_least<milliseconds>(10ms));
  table.value("nats.requestTimeout", item.request_timeout,
              "After which an unanswered request counts as failed.", at_least<milliseconds>(10ms));
  table.value("nats.pingInterval", item.ping_interval,
              "How often the connection is tried when nothing else is sent.",
              at_least<milliseconds>(100ms));
  table.value("nats.pingsOutMax", item.pings_out_max,
              "After so many unanswered pings the connection counts as lost.",
              between<std::uint32_t>(1, 100));
}

void describe_health(field_table& table, health_settings& item) {
  table.section("health", "Metrics and health over HTTP: /metrics, /livez, /readyz.");
  table.value("health.listen", item.listen,
              "HOST:PORT, or off. Port 0 takes any free port, which the log names, and the same "
              "again after a restart as long as it is free. There is no authentication: keep it "
              "on a loopback address.",
              rule<std::string>{check_listen});
}

void describe_logging(field_table& table, logging_settings& item) {
  table.section("logging", "The log, on stderr unless a file is given.");
  table.value("logging.level", item.level, "trace, debug, info, warning, error or off.");
  table.value("logging.format", item.format,
              "text, json (one object a line), or automatic: text on a terminal, else json.");
  table.value("logging.components", item.components,
              "Levels of single components, for example {journal: debug, bus: warning}.",
              rule<label_list>{check_components});
  table.value("logging.file", item.file, "A file to append to instead of stderr.");
  table.value("logging.linesPerSecond", item.lines_per_second,
              "How many lines one place in the program may write in a second; the rest is only "
              "counted. 0 for no limit.");
}

void describe_tracing(field_table& table, tracing_settings& item) {
  table.section("tracing", "Causal tracing of messages; see `argosyctl trace` and `actors graph`.");
  table.value("tracing.enabled", item.enabled, "Whether messages are counted and traced at all.");
  table.value("tracing.sampleRatio", item.sample_ratio,
              "The share of new traces whose spans are kept, 0 to 1. Traces that a client began "
              "keep the client's choice.",
              between(0.0, 1.0));
  table.value("tracing.spansMax", item.spans_max,
              "How many spans are kept in memory; the oldest give way. About 300 bytes each.",
              between<std::uint32_t>(1, 10'000'000));
  table.value("tracing.collectPeriod", item.collect_period,
              "How often spans are collected from the threads.", between<milliseconds>(10ms, 60s));
}

}  // namespace argosy::settings
