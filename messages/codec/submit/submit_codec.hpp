// SPDX-License-Identifier: Apache-2.0
// Turns an encoded api.JobSubmitRequest into job headers: it is checked in Armada's order, and
// defaults are filled in. One actor (the GATEWAY) owns the decoder; it is not thread-safe. It holds
// the last distinct pod specs, so that thousands of equal jobs are checked and decoded once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "messages/codec/shape_table.hpp"
#include "messages/codec/submit/limits.hpp"
#include "runtime/base/result.hpp"
#include "runtime/model/job.hpp"

namespace argosy::codec {

/// Who submits, and what the gateway adds.
struct submit_context {
  std::string owner;
  std::vector<std::string> owner_groups;  ///< The groups in sorted order.
  std::int64_t now_ns = 0;                ///< The Unix time, in nanoseconds.
  model::trace_context trace;
  bool has_key = false;  ///< The request has an idempotency key, so that its content matters.
  /// The namespace of jobs that name none, where the policy of their queue allows more than one;
  /// empty: jobs that name none are refused.
  std::string name_space{};
};

struct submission {
  std::string queue;
  std::string job_set;
  /// The jobs in the request's order, by which their ids and times of submission grow; there may be
  /// none.
  std::vector<std::shared_ptr<const model::job_header>> jobs;
  /// It is the same for a repeated request, and another for other jobs or another owner; 0 if the
  /// request has no key.
  std::uint64_t content_hash = 0;
  /// The namespace of the jobs that name none; empty: each names one.
  std::string name_space_taken{};
};

class submit_decoder {
 public:
  /// `ids` makes the ids of jobs; both must outlive the decoder.
  submit_decoder(submit_limits limits, shape_table& shapes, ulid_factory& ids);
  ~submit_decoder();
  submit_decoder(const submit_decoder&) = delete;
  submit_decoder& operator=(const submit_decoder&) = delete;

  /// Decodes the whole request or nothing. Fails with ec::invalid_argument, naming the place and
  /// the fix of the first check that failed, for example
  /// `job_request_items[3].pod_spec.containers[0].resources...`; with ec::too_large for more jobs,
  /// or a larger specification, than allowed. It does not look whether the queue exists.
  [[nodiscard]] result<submission> decode(std::string_view request, const submit_context& context);

  [[nodiscard]] const submit_limits& limits() const noexcept { return limits_; }

 private:
  struct cache;
  submit_limits limits_;
  shape_table& shapes_;
  ulid_factory& ids_;
  std::unique_ptr<cache> cache_;
};

/// Replaces `{JobId}` by the id, and `{{JobId}}` by `JobId`.
[[nodiscard]] std::string replace_job_id(std::string_view text, std::string_view id);

/// The priority rounded half away from zero and clamped to 32 bits; a negative one gives 0. It must
/// not be NaN.
[[nodiscard]] std::uint32_t to_priority(double priority) noexcept;

}  // namespace argosy::codec
