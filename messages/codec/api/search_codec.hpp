// SPDX-License-Identifier: Apache-2.0
// Searches for jobs, from the API and back to it.
#pragma once

#include "messages/codec/api/search_text.hpp"
#include "messages/proto/argosy/search.pb.h"
#include "runtime/base/result.hpp"
#include "runtime/model/job_search.hpp"

namespace argosy::codec {

/// How many jobs or groups a page passes over at most.
inline constexpr std::uint64_t search_skip_max = 100'000;

/// The deadline is left to the caller. ec::invalid_argument names the condition that is wrong.
[[nodiscard]] result<model::job_query> from_wire(const v1::FindJobsRequest& request,
                                                 const search_context& context);
[[nodiscard]] result<model::group_query> from_wire(const v1::GroupJobsRequest& request,
                                                   const search_context& context);

/// Annotations, labels and runs of a job; the summary is left to the caller.
void to_wire(const model::found_job& job, v1::FoundJob& out);
void to_wire(const model::job_group& group, v1::JobGroup& out);

/// The cursor behind a place, which from_wire() reads.
[[nodiscard]] std::string cursor_of(const model::search_place& place);

}  // namespace argosy::codec
