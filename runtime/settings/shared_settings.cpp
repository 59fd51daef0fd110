// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/shared_settings.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "runtime/border/host_and_port.hpp"
#include "runtime/model/label_syntax.hpp"
#include "runtime/model/queue.hpp"
#include "runtime/settings/checks/address.hpp"
#include "runtime/settings/units.hpp"

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
  if (!read_host_and_port(text)) return "must be HOST:PORT, for example 127.0.0.1:9090, or off";
  // Unlike a URL it has nothing before or behind host and port.
  const bool bare = text.find_first_of("/?#@") == std::string::npos;
  if (const auto host = bare ? host_of(text) : text; !is_host(host))
    return "names '" + host + "', which is neither an address nor a name of a machine";
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

complaint check_ratios(const label_list& ratios) {
  for (const auto& [name, text] : ratios) {
    double ratio = -1;
    const auto* end = text.data() + text.size();
    const auto [stop, code] = std::from_chars(text.data(), end, ratio);
    if (code != std::errc{} || stop != end || !(ratio >= 0 && ratio <= 1))
      return "'" + name + "' needs a number from 0.0 to 1.0, not '" + text + "'";
  }
  return std::nullopt;
}

complaint check_host_names(const std::vector<std::string>& names) {
  constexpr std::string_view allowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  for (const auto& name : names)
    if (name.empty() || name.find_first_not_of(allowed) != std::string::npos)
      return "'" + name + "' is no name of a host; write it without a scheme and a port";
  return std::nullopt;
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

toleration_settings to_settings(const model::toleration& from) {
  return {from.key, from.exists ? toleration_operator::exists : toleration_operator::equal,
          from.value, from.effect};
}

model::toleration to_model(const toleration_settings& from) {
  return {from.key, from.op == toleration_operator::exists, from.value, from.effect};
}

complaint check_annotation_names(const label_list& items) {
  for (const auto& [name, value] : items)
    if (!model::is_label_name(name)) return "has '" + name + "', which Kubernetes takes as no name";
  return std::nullopt;
}

complaint check_object_name(const std::string& name) {
  if (const auto valid = model::validate_name(name, "it"); !name.empty() && !valid)
    return "must be the name of an object of Kubernetes: " + valid.error().detail;
  return std::nullopt;
}

rule<std::vector<toleration_settings>> tolerations() {
  return [](const std::vector<toleration_settings>& items) -> complaint {
    for (std::size_t i = 0; i < items.size(); ++i)
      if (const auto fault = model::find_fault(to_model(items[i])))
        return "item " + std::to_string(i + 1) + ": " + std::string{fault->field} + " " +
               fault->why;
    return std::nullopt;
  };
}

rule<std::string> not_empty() {
  return [](const std::string& text) -> complaint {
    if (text.empty()) return "must not be empty";
    return std::nullopt;
  };
}

rule<std::string> listen_address() {
  return check_listen;
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
  table.value("effect", item.effect, "");
}

void describe_nats(field_table& table, nats_settings& item) {
  table.section("nats",
                "The NATS server through which clients, agents and control plane talk. It needs "
                "JetStream, which keeps the log.");
  table
      .value(
          "nats.url", item.url,
          "Where the server is: nats://HOST:PORT, or tls://HOST:PORT for an encrypted "
          "connection. Several servers of one NATS cluster are separated by commas; argosyd tries "
          "them in this order, that of its own machine first. A token "
          "may stand in the URL as nats://TOKEN@HOST:PORT, but tokenFile hides it better. "
          "There is no default; only `argosyd --dev` starts a server of its own.",
          rule<std::string>{check_nats_urls})
      .secret_url = true;
  table.value("nats.tokenFile", item.token_file,
              "The path of a file whose first line is the token with which this process logs in. "
              "Only its owner should be able to read it. Leave it empty if the server asks for "
              "no token.");
  table.value("nats.credentialsFile", item.credentials_file,
              "The path of the credentials file that `argosyd init` wrote for this process, which "
              "proves who it is. Only its owner should be able to read it. Leave it empty if the "
              "server asks for a token or for nothing.");
  table.value("nats.caFile", item.ca_file,
              "The path of a file with certificates (PEM) by which the certificate of a tls:// "
              "server is checked. Set it if your server has a certificate of your own authority; "
              "empty means the authorities of the operating system.");
  table.value("nats.certificateFile", item.certificate_file,
              "The path of a file (PEM) with the certificate by which this process proves who it "
              "is, for a server that asks for one (`verify: true` in its block tls).");
  table.value("nats.keyFile", item.key_file,
              "The path of a file (PEM) with the private key of that certificate. Only its owner "
              "should be able to read it.");
  table.value(
      "nats.connectTimeout", item.connect_timeout,
      "How long one attempt to connect may take, from 10ms to 1h. Raise it on slow networks.",
      between<milliseconds>(10ms, 1h));
  table.value(
      "nats.requestTimeout", item.request_timeout,
      "After how long a request between processes that got no answer counts as failed, "
      "from 10ms to 1h. Shorter values report a broken server sooner, longer ones forgive a "
      "slow one.",
      between<milliseconds>(10ms, 1h));
  table.value("nats.pingInterval", item.ping_interval,
              "How often an idle connection is tested, from 100ms to 1h. A connection that died "
              "without a word is noticed after about this times pingsOutMax.",
              between<milliseconds>(100ms, 1h));
  table.value("nats.pingsOutMax", item.pings_out_max,
              "After how many tests without an answer the connection counts as lost, 1 to 100.",
              between<std::uint32_t>(1, 100));
}

void describe_health(field_table& table, health_settings& item) {
  table.section("health", "The HTTP endpoint for monitoring: /metrics, /livez and /readyz.");
  table.value("health.listen", item.listen,
              "The address of the endpoint as HOST:PORT, or off for none. Port 0 takes any free "
              "port, which the log names, and takes the same one after a restart as long as it "
              "is free. Anybody who reaches the address can read it, so keep it on a loopback "
              "address or behind a proxy that asks who is there.",
              listen_address());
  table.value(
      "health.hostNames", item.host_names,
      "The names by which the endpoint may be called, without ports, such as "
      "argosy.example.com: those that its clients write, and those that a proxy hands on "
      "in the header Host. Addresses, localhost and this machine's own name need not be "
      "listed. Other names are refused, since a web page may have its own name resolve to "
      "any address, and could then read what its reader may. gRPC of argosyd may be called by the "
      "same names.",
      rule<std::vector<std::string>>{check_host_names});
}

void describe_watching(field_table& table, health_settings& item) {
  table.value("health.armadaMetrics", item.armada_names,
              "Whether /metrics shows what it can also under the names and labels that Armada "
              "uses, for dashboards that were made for it. It makes the answer about a half "
              "larger.");
  table.value(
      "health.stuckAfter", item.stuck_after,
      "After how long a part of the process that is still at one and the same message "
      "counts as stuck, from 1s to 1h: the log names the part and the message, the steps of "
      "the last seconds are saved in the data directory, and /readyz fails.",
      between<milliseconds>(1s, 1h));
  table.value("health.hungAfter", item.hung_after,
              "After how long that makes /livez fail too, so that whoever watches it starts the "
              "process again, from 10s to 24h. A large log or store may keep a part busy for "
              "minutes.",
              between<milliseconds>(10s, 24h));
}

void describe_logging(field_table& table, logging_settings& item) {
  table.section("logging",
                "The log lines of this process, which go to stderr unless a file is named.");
  table.value("logging.level", item.level,
              "The least level that is written: trace, debug, info, warning, error or off. Use "
              "debug to look for a fault, since it is much more.");
  table.value("logging.format", item.format,
              "How a line looks: text for people, json for one JSON object a line, or automatic, "
              "which is text on a terminal and json otherwise.");
  table.value("logging.components", item.components,
              "Levels of single components that differ from the level above, for example "
              "{journal: debug, bus: warning}. The component stands in each line.",
              rule<label_list>{check_components});
  table.value("logging.file", item.file,
              "The path of a file to which lines are appended instead of stderr. It is opened "
              "anew when it was renamed or removed, with the next line or at SIGHUP, so that "
              "logrotate needs no copytruncate.");
  table.value("logging.linesPerSecond", item.lines_per_second,
              "How many lines a second one place in the program may write, so that a repeated "
              "fault cannot fill the disk. Further lines are counted, and their number is "
              "written later. 0 means no limit.");
}

void describe_tracing(field_table& table, tracing_settings& item) {
  table.section("tracing",
                "The record of messages between the parts of the system, which `argosyctl trace` "
                "and `argosyctl actors` read.");
  table.value("tracing.enabled", item.enabled,
              "Whether messages are counted and traced at all. Without it `argosyctl trace` "
              "finds nothing and metrics of actors stay 0.");
  table.value("tracing.sampleRatio", item.sample_ratio,
              "The part of new traces whose steps are kept, 0.0 to 1.0. Lower it where tracing "
              "costs too much; traces that a client began keep the client's choice.",
              between(0.0, 1.0));
  table.value("tracing.spansMax", item.spans_max,
              "How many steps of traces are kept in memory, 1 to 10000000. The oldest give way. "
              "Each takes about 300 bytes, so that the default takes about 20 MB.",
              between<std::uint32_t>(1, 10'000'000));
  table.value("tracing.spanBytesMax", item.span_bytes_max,
              "How many bytes the steps of traces may take in memory, from 1MiB on. The oldest "
              "give way.",
              at_least<byte_size>({mebi}));
  table.value("tracing.collectPeriod", item.collect_period,
              "How often the steps are collected from the threads that recorded them, 10ms to "
              "60s. Shorter values show a trace sooner, longer ones cost less.",
              between<milliseconds>(10ms, 60s));
}

void describe_exports(field_table& table, tracing_settings& item) {
  table.value("tracing.exportRatios", item.export_ratios,
              "The part of the steps of a name that goes to a collector of OpenTelemetry, 0.0 to "
              "1.0, for example {heartbeat: 0.01}. Steps of other names go by the environment "
              "variable OTEL_TRACES_SAMPLER, and nothing is exported unless "
              "OTEL_EXPORTER_OTLP_ENDPOINT is set.",
              rule<label_list>{check_ratios});
  table.value(
      "tracing.exportQueues", item.export_queues,
      "The part of the steps of a queue's jobs that goes to that collector, 0.0 to 1.0, "
      "for example {research: 1.0, nightly: 0.01}. These are the lease, the run and the end "
      "of each job; the rule goes before that for their names.",
      rule<label_list>{check_ratios});
  table.value("tracing.exportAlways", item.export_always,
              "Steps that took or waited this long, or that failed, are exported whatever else "
              "leaves them out. 0 means that no step is.",
              at_least<milliseconds>(0ms));
}

}  // namespace argosy::settings
