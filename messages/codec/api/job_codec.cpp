// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/api/job_codec.hpp"

#include <array>

#include "messages/codec/wire.hpp"
#include "messages/proto/argosy/log.pb.h"
#include "messages/proto/argosy/partial.pb.h"
#include "runtime/model/quantity.hpp"

namespace argosy::codec {

namespace {

constexpr std::array<api::JobState, 9> job_states{api::QUEUED,    api::LEASED,    api::PENDING,
                                                  api::RUNNING,   api::SUCCEEDED, api::FAILED,
                                                  api::PREEMPTED, api::CANCELLED, api::REJECTED};

api::JobRunState to_wire(model::run_state state) noexcept {
  switch (state) {
    case model::run_state::leased:
      return api::RUN_STATE_LEASED;
    case model::run_state::pending:
      return api::RUN_STATE_PENDING;
    case model::run_state::running:
      return api::RUN_STATE_RUNNING;
    case model::run_state::succeeded:
      return api::RUN_STATE_SUCCEEDED;
    case model::run_state::failed:
      return api::RUN_STATE_FAILED;
    case model::run_state::preempted:
      return api::RUN_STATE_PREEMPTED;
    case model::run_state::cancelled:
      return api::RUN_STATE_CANCELLED;
    case model::run_state::lease_returned:
      return api::RUNS_STATE_LEASE_RETURNED;
    case model::run_state::lease_expired:
      return api::RUN_STATE_LEASE_EXPIRED;
  }
  return api::RUN_STATE_UNKNOWN;
}

}  // namespace

api::JobState to_wire(model::job_state state) noexcept {
  return job_states[static_cast<std::size_t>(state)];
}

std::optional<model::job_state> from_wire(api::JobState state) noexcept {
  for (std::size_t i = 0; i < job_states.size(); ++i)
    if (job_states[i] == state) return static_cast<model::job_state>(i);
  return {};
}

std::string job_state_names() {
  std::string out;
  for (const auto state : job_states) out += (out.empty() ? "" : ", ") + api::JobState_Name(state);
  return out;
}

void to_wire(std::int64_t unix_nanos, google::protobuf::Timestamp& out) {
  constexpr std::int64_t second = 1'000'000'000;
  out.set_seconds(unix_nanos / second);
  out.set_nanos(static_cast<std::int32_t>(unix_nanos % second));
}

namespace {

/// Folds the number of a run into the last 32 bits of a job's id, or takes it out again.
ulid fold(ulid id, std::uint32_t number) {
  for (std::size_t i = 0; i < 4; ++i)
    id.bytes[12 + i] = static_cast<std::uint8_t>(id.bytes[12 + i] ^ (number >> (24 - 8 * i)));
  return id;
}

constexpr std::string_view hex_digits = "0123456789abcdef";

/// Whether a dash stands before this byte in the form 8-4-4-4-12.
constexpr bool has_dash_before(std::size_t byte) {
  return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

}  // namespace

std::string run_id(const model::run_key& run) {
  const auto folded = fold(run.job, run.number);
  std::string out;
  for (std::size_t i = 0; i < folded.bytes.size(); ++i) {
    if (has_dash_before(i)) out += '-';
    out += hex_digits[folded.bytes[i] >> 4];
    out += hex_digits[folded.bytes[i] & 15];
  }
  return out;
}

namespace {

/// The bytes of the form 8-4-4-4-12; nothing for any other text.
std::optional<ulid> bytes_of(std::string_view run_id) {
  ulid folded;
  std::size_t at = 0;
  for (std::size_t i = 0; i < folded.bytes.size(); ++i) {
    if (has_dash_before(i) && (at >= run_id.size() || run_id[at++] != '-')) return std::nullopt;
    std::size_t value = 0;
    for (int half = 0; half < 2; ++half) {
      const auto digit =
          at < run_id.size() ? hex_digits.find(run_id[at++]) : std::string_view::npos;
      if (digit == std::string_view::npos) return std::nullopt;
      value = value << 4 | digit;
    }
    folded.bytes[i] = static_cast<std::uint8_t>(value);
  }
  if (at != run_id.size()) return std::nullopt;
  return folded;
}

}  // namespace

std::vector<ulid> jobs_of_run(std::string_view run_id) {
  constexpr std::uint32_t runs_max = 64;
  const auto folded = bytes_of(run_id);
  std::vector<ulid> out;
  if (!folded) return out;
  for (std::uint32_t number = 1; number <= runs_max; ++number) out.push_back(fold(*folded, number));
  return out;
}

std::optional<model::run_key> run_of(std::string_view job_id, std::string_view run_id) {
  const auto job = parse_ulid(job_id);
  const auto folded = bytes_of(run_id);
  if (!job || !folded) return std::nullopt;
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i)
    number = number << 8 | static_cast<std::uint8_t>(folded->bytes[12 + i] ^ job->bytes[12 + i]);
  if (number == 0 || fold(*folded, number) != *job) return std::nullopt;
  return model::run_key{*job, number};
}

result<void> to_wire(const model::job_header& header, api::Job& out) {
  out.set_id(to_string(header.id));
  out.set_job_set_id(header.job_set);
  out.set_queue(header.queue);
  out.set_priority(header.priority);
  to_wire(header.submitted_ns, *out.mutable_created());
  out.set_namespace_(header.name_space);
  out.set_owner(header.owner);
  out.set_client_id(header.client_id);
  if (header.shape) {
    auto& requirements = *out.mutable_scheduling_resource_requirements();
    for (const auto& [resource, amount] : header.shape->requests) {
      const auto quantity = model::format_quantity(amount, model::unit_of(resource));
      (*requirements.mutable_requests())[resource].set_string(quantity);
      (*requirements.mutable_limits())[resource].set_string(quantity);
    }
  }
  if (!header.spec) return {};
  log::v1::JobSpec spec;
  if (auto decoded = decode(*header.spec, spec, "job specification"); !decoded) return decoded;
  out.mutable_pod_spec()->Swap(spec.mutable_pod_spec());
  out.mutable_labels()->swap(*spec.mutable_labels());
  out.mutable_annotations()->swap(*spec.mutable_annotations());
  out.mutable_ingress()->Swap(spec.mutable_ingress());
  out.mutable_services()->Swap(spec.mutable_services());
  out.set_scheduler(spec.scheduler());
  return {};
}

void to_wire(const model::run_record& run, const ulid& job, api::JobRunDetails& out) {
  out.set_run_id(run_id({job, run.number}));
  out.set_job_id(to_string(job));
  out.set_state(to_wire(run.state));
  out.set_cluster(run.cluster.str());
  out.set_node(run.node.str());
  if (run.leased_ns > 0) to_wire(run.leased_ns, *out.mutable_leased_ts());
  if (run.pending_ns > 0) to_wire(run.pending_ns, *out.mutable_pending_ts());
  if (run.started_ns > 0) to_wire(run.started_ns, *out.mutable_started_ts());
  if (run.finished_ns > 0) to_wire(run.finished_ns, *out.mutable_finished_ts());
  for (const auto& [port, address] : run.pod.addresses)
    (*out.mutable_ingress_addresses())[port] = address;
}

result<void> to_wire(const model::job_record& job, bool with_spec, bool with_runs,
                     api::JobDetails& out) {
  const auto& header = *job.header;
  out.set_job_id(to_string(header.id));
  out.set_queue(header.queue);
  out.set_jobset(header.job_set);
  out.set_namespace_(header.name_space);
  out.set_state(to_wire(job.state));
  to_wire(header.submitted_ns, *out.mutable_submitted_ts());
  to_wire(job.changed_ns, *out.mutable_last_transition_ts());
  if (job.state == model::job_state::cancelled) {
    to_wire(job.changed_ns, *out.mutable_cancel_ts());
    out.set_cancel_reason(job.reason);
    out.set_cancel_user(job.requestor);
  }
  if (!job.runs.empty()) out.set_latest_run_id(run_id({header.id, job.runs.back().number}));
  if (with_runs)
    for (auto run = job.runs.rbegin(); run != job.runs.rend(); ++run)
      to_wire(*run, header.id, *out.add_job_runs());
  return with_spec ? to_wire(header, *out.mutable_job_spec()) : result<void>{};
}

result<bool> has_external_uri(const std::string& spec, const std::string& uri) {
  // The bytes of a text stand in its message as they are, so that most jobs need no decoding.
  if (spec.find(uri) == std::string::npos) return false;
  partial::v1::JobSpec decoded;
  if (!decoded.ParseFromString(spec))
    return fail(ec::corrupt, "a job's specification does not decode");
  return decoded.external_job_uri() == uri;
}

}  // namespace argosy::codec
