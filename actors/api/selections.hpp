// SPDX-License-Identifier: Apache-2.0
// This file declares how requests name jobs, by id with or without their queue, and give reasons.
#pragma once

#include <google/protobuf/repeated_field.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actors/api/gateway_services.hpp"

namespace argosy::actors {

using id_list = google::protobuf::RepeatedPtrField<std::string>;

/// Sets which states of live jobs are selected; without any, all are. ec::invalid_argument: it
/// names another state, or only one of those that a run passes through.
[[nodiscard]] result<void> select_states(const api::JobSetFilter& filter,
                                         ledger::job_selection& jobs);

/// Answers the call and returns true when it names more jobs than a query may.
[[nodiscard]] bool refuse_count(const gateway_services& gateway, const call& caller, int items);

/// Returns the ids of a request, each once. If one is wrong, answers the call and returns nothing.
[[nodiscard]] std::optional<std::vector<ulid>> read_ids(const call& caller, const id_list& ids,
                                                        const std::string& single);

/// Answers the call and returns true when the request does not name what it is about.
[[nodiscard]] bool refuse_unnamed(const call& caller, const std::string& name, const char* what);

/// Answers the call and returns true when the queue or the job set is not named.
[[nodiscard]] bool refuse_empty_set(const call& caller, const std::string& queue,
                                    const std::string& job_set);

/// Answers the call and returns true when the reason is longer than reasons may be.
[[nodiscard]] bool refuse_reason(const gateway_services& gateway, const call& caller,
                                 const std::string& reason);

/// The names of the classes in the list that may be preempted, or of all of these for an empty
/// list.
[[nodiscard]] std::vector<std::string> preemptible_of(const gateway_services& gateway,
                                                      const id_list& classes);

/// Fails with ec::not_found if the settings have no class of one of these names.
[[nodiscard]] result<void> check_classes(const gateway_services& gateway, const id_list& classes);

/// Answers that these jobs are ended. The answer is ec::not_found if nothing was ended and the
/// request names a class that the settings do not have: jobs may still be of a class that is gone,
/// but where there are none, its name may be misspelt.
void reply_ended(const gateway_services& gateway, const call& caller, const id_list& classes,
                 const ledger::selection_reply& ended, const bus::headers& with);

/// Groups ids by their queue. Without a queue the jobs are looked up; an id that does not exist
/// then answers the call with ec::not_found.
void by_queue(gateway_services& gateway, const call& caller, const std::vector<ulid>& ids,
              const std::string& queue,
              std::function<void(const std::map<std::string, std::vector<ulid>>&)> then);

}  // namespace argosy::actors
