// SPDX-License-Identifier: Apache-2.0
// From what a user names jobs by to the jobs themselves: full ids, unambiguous beginnings of ids,
// "job/<id>", "-" (ids from stdin) and "@last" (the last submission).
#pragma once

#include <functional>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "bins/argosyctl/client/client.hpp"
#include "bins/argosyctl/client/environment.hpp"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::ctl {

/// The letters of ids only, at most 26 of them.
[[nodiscard]] bool is_job_id_prefix(std::string_view text);

/// Whether a word can only be meant as a job: "@last", "-", "job/…", or like the beginning of an
/// id, which starts with 0 until the year 4199.
[[nodiscard]] bool names_a_job(std::string_view word);

/// Ids and beginnings of ids in lower case, every one once, in the order given.
/// ec::invalid_argument for what is no id, ec::not_found for an unknown @last.
[[nodiscard]] result<std::vector<std::string>> expand_references(
    const std::vector<std::string>& words, const environment& env, std::istream& in);

/// Hands over all jobs that pass the filter, page after page; `request.limit` (0: none) counts for
/// all pages.
[[nodiscard]] result<void> for_each_listed(client& server, argosy::v1::ListJobsRequest request,
                                           const std::function<void(argosy::v1::JobSummary&)>& use);

/// The same as one list.
[[nodiscard]] result<std::vector<argosy::v1::JobSummary>> list_jobs(
    client& server, argosy::v1::ListJobsRequest request);

/// The job of every reference, in their order. ec::not_found naming the first that is unknown,
/// ec::invalid_argument listing the matches of an ambiguous one.
[[nodiscard]] result<std::vector<argosy::v1::JobSummary>> resolve_jobs(
    client& server, const std::vector<std::string>& references);

/// Hands over the details of the jobs, in the order of the ids; jobs that are gone are left out.
/// The next ones are asked for while these are being used. Ends with ec::cancelled as soon as `use`
/// returns false.
[[nodiscard]] result<void> for_each_job(client& server, const std::vector<std::string>& ids,
                                        const std::function<bool(const api::JobDetails&)>& use);

}  // namespace argosy::ctl
