// SPDX-License-Identifier: Apache-2.0
// How much a control plane takes on at a time, and what it takes. Settings fill these structs and
// hand them whole to the parts that obey them; the values here are the defaults of both.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runtime/model/byte_size.hpp"
#include "runtime/model/job.hpp"

namespace argosy::model {

/// How long a request to the NATS server or between actors may take.
inline constexpr std::chrono::milliseconds request_timeout_default{30'000};

/// How often the steps of traces are collected from the threads that recorded them.
inline constexpr std::chrono::milliseconds trace_collect_period_default{100};

/// The limits of the API.
struct request_limits {
  byte_size request_bytes_max{8 << 20};  ///< The largest size of one request.
  /// How many requests of one caller are worked on at a time; of all callers twice as many.
  std::uint32_t unanswered_max = 256;
  /// How many bytes these may have together, and of all callers eight times as many; one alone may
  /// have more.
  byte_size unanswered_bytes_max{32 << 20};
  /// How many questions of one caller are worked on at a time that look at much of the past.
  std::uint32_t slow_per_user_max = 2;
  std::uint32_t slow_max = 32;          ///< The same of all callers.
  std::uint32_t reason_bytes_max = 50;  ///< The largest size of the reason given for a cancel.
  std::uint32_t query_items_max = 500;  ///< How many jobs one query may name.
  std::uint32_t watches_max = 20'000;   ///< How many event streams may be open.
  /// How many of these are of one user, who never has more than are left for others.
  std::uint32_t watches_per_user_max = 10'000;
};

/// The limits of the log.
struct log_limits {
  /// The size of one batch; it is larger only if one change needs that.
  byte_size batch_bytes_max{512 << 10};
  /// The size of changes that are not written yet; above it new commands are refused as overload.
  byte_size waiting_bytes_max{64 << 20};
};

/// What a submission may ask for, and what jobs get that leave something out. The values are those
/// of Armada's server.
struct submission_rules {
  std::uint32_t jobs_per_request_max = 100'000;
  std::uint32_t pod_spec_bytes_max = 65'535;  ///< The size of one encoded pod spec.
  std::uint32_t job_set_bytes_max = 1'023;
  std::uint32_t client_id_bytes_max = 100;
  byte_size metadata_bytes_max{256 << 10};  ///< All labels and annotations of one job.

  /// The time between SIGTERM and SIGKILL, in whole seconds; jobs that ask for none get the least.
  std::chrono::milliseconds grace_min{1'000};
  std::chrono::milliseconds grace_max{300'000};
  resource_list requests_min{{"memory", 1 << 20}};  ///< The least request of each container.
  /// The highest ratio of limit to request by resource; 1 for resources that are not named.
  std::vector<std::pair<std::string, double>> oversubscription_max;
  bool init_cpu_fractional = true;  ///< True: init containers must not ask for whole cores.
  std::vector<std::string> restricted_toleration_keys;

  // The defaults that are filled in.
  resource_list default_requests{
      {"cpu", 1'000}, {"memory", 1 << 30}, {"ephemeral-storage", std::int64_t{8} << 30}};
  std::chrono::milliseconds default_deadline{std::chrono::hours{72}};
  /// The deadline of jobs that request the resource; the largest one counts.
  std::vector<std::pair<std::string, std::chrono::milliseconds>> default_deadline_by_resource{
      {"nvidia.com/gpu", std::chrono::hours{336}}};
  bool gang_id_label = false;  ///< True: the gang id is copied into a label of the pod.
};

/// The taint that nodes of Armada's clusters may have, which every job tolerates by default.
inline const toleration default_toleration{"armadaproject.io/armada", false, "true", "NoSchedule"};

}  // namespace argosy::model
