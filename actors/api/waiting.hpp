// SPDX-License-Identifier: Apache-2.0
// This file declares how answers of the API come by the reasons why jobs wait, which the
// EXPLAINER knows, or for jobs of which no round knows their QUEUE, and by what has become of
// gangs that run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "actors/api/gateway_services.hpp"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::actors {

/// A queued job whose summary lacks its reason.
struct waiting_job {
  ulid id;
  v1::JobSummary* summary = nullptr;
};

/// Fills in the reasons with one question for all of them and one for each gang that no round
/// knows, and then calls `then`, at once if there are none. The summaries must live until then. If
/// one of those asked does not answer, that is the answer to the call.
void add_reasons(gateway_services& gateway, const call& caller, std::vector<waiting_job> waiting,
                 std::function<void()> then);

/// Finds the sentence for a job that waits and that the EXPLAINER does not know: its gang is not
/// complete, or it is new. Asks its QUEUE if it is in a gang.
void ask_why_unheard_of(gateway_services& gateway, const call& caller,
                        const model::job_header& header, std::function<void(std::string)> then);

/// Finds the sentence on the members of the job's gang that have ended otherwise than well since
/// its run began, while the others run on. It is empty for a whole gang, for a job that does not
/// run, and if nobody could look in time.
void ask_who_is_missing(gateway_services& gateway, const call& caller, const model::job_record& job,
                        std::function<void(std::string)> then);

}  // namespace argosy::actors
