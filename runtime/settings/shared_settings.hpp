// SPDX-License-Identifier: Apache-2.0
// Settings that argosyd and argosy-agent have in common.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/model/job.hpp"
#include "runtime/model/server_limits.hpp"
#include "runtime/settings/field_table.hpp"

namespace argosy::settings {

struct nats_settings {
  /// The URL; empty if none is given, for which the program says what it needs.
  std::string url;
  std::string token_file;
  std::string credentials_file;
  std::string ca_file;
  std::string certificate_file;
  std::string key_file;
  std::chrono::milliseconds connect_timeout{2'000};
  std::chrono::milliseconds request_timeout = model::request_timeout_default;
  std::chrono::milliseconds ping_interval{5'000};
  std::uint32_t pings_out_max = 2;
};

struct health_settings {
  /// "HOST:PORT", port 0 for any free one that is kept across restarts, or "off".
  std::string listen = "127.0.0.1:0";
  /// By which names it may be called beside localhost, its own and addresses; without ports.
  std::vector<std::string> host_names{};
  bool armada_names = false;  ///< Whether metrics stand there under Armada's names as well.
  /// After how long a handler that does not end is told of, and makes the process unready.
  std::chrono::milliseconds stuck_after{30'000};
  /// After how long it makes the process fail its check of life.
  std::chrono::milliseconds hung_after{1'800'000};
};

/// The same names as runtime/logging knows, kept as text so that pure code need not see it.
enum class log_level : std::uint8_t { trace, debug, info, warning, error, off };
enum class log_format : std::uint8_t { automatic, text, json };

struct logging_settings {
  log_level level = log_level::info;
  log_format format = log_format::automatic;
  /// The level of each component, by its name.
  label_list components;
  std::string file;
  std::uint32_t lines_per_second = 100;
};

struct tracing_settings {
  bool enabled = true;
  double sample_ratio = 1.0;
  std::uint32_t spans_max = 65'536;
  model::byte_size span_bytes_max{64 << 20};
  std::chrono::milliseconds collect_period = model::trace_collect_period_default;
  /// The part of the steps of a name that is exported, by the name.
  label_list export_ratios;
  /// The part of the steps of a queue's jobs that is exported, by the queue.
  label_list export_queues;
  /// Steps that took this long or failed are exported in any case; 0: none are.
  std::chrono::milliseconds export_always{0};
};

enum class taint_effect : std::uint8_t { no_schedule, prefer_no_schedule, no_execute };

struct taint_settings {
  std::string key;
  std::string value;
  taint_effect effect = taint_effect::no_schedule;
};

enum class toleration_operator : std::uint8_t { equal, exists };

struct toleration_settings {
  /// Empty with Exists: every taint.
  std::string key;
  toleration_operator op = toleration_operator::equal;
  std::string value;
  /// NoSchedule, PreferNoSchedule, NoExecute; empty: every effect.
  std::string effect;
};

[[nodiscard]] std::span<const std::string_view> enum_names(log_level);
[[nodiscard]] std::span<const std::string_view> enum_names(log_format);
[[nodiscard]] std::span<const std::string_view> enum_names(taint_effect);
[[nodiscard]] std::span<const std::string_view> enum_names(toleration_operator);

[[nodiscard]] toleration_settings to_settings(const model::toleration& from);
[[nodiscard]] model::toleration to_model(const toleration_settings& from);

void describe(field_table& table, taint_settings& item);
void describe(field_table& table, toleration_settings& item);

/// Kubernetes takes these names for annotations.
[[nodiscard]] complaint check_annotation_names(const label_list& items);
/// An object of Kubernetes may have this name, or it is empty.
[[nodiscard]] complaint check_object_name(const std::string& name);
/// Kubernetes takes each of them in a pod.
[[nodiscard]] rule<std::vector<toleration_settings>> tolerations();

/// Each function adds the section of its name to a program's table.
void describe_nats(field_table& table, nats_settings& item);
void describe_health(field_table& table, health_settings& item);
void describe_logging(field_table& table, logging_settings& item);
void describe_tracing(field_table& table, tracing_settings& item);
/// These two add what only argosyd has to the sections "health" and "tracing".
void describe_watching(field_table& table, health_settings& item);
void describe_exports(field_table& table, tracing_settings& item);

/// Rules for texts.
[[nodiscard]] rule<std::string> not_empty();
/// "HOST:PORT" or "off".
[[nodiscard]] rule<std::string> listen_address();
/// A DNS-1123 subdomain, as names of clusters, pools and queues are.
[[nodiscard]] rule<std::string> resource_name();

}  // namespace argosy::settings
