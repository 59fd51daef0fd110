// SPDX-License-Identifier: Apache-2.0
// Lookout's searches as messages of our own API, and jobs and groups as Lookout writes them.
#pragma once

#include "messages/codec/rest/go_json.hpp"
#include "messages/proto/argosy/search.pb.h"

namespace argosy::codec {

/// Which aggregates a request for groups asks for.
struct lookout_aggregates {
  bool submitted = false;
  bool states = false;
  bool changed = false;
  std::string changed_how;  ///< "latest", "earliest" or "average"
};

/// Read the bodies. They fail with ec::invalid_argument and name the member.
[[nodiscard]] result<v1::FindJobsRequest> read_lookout_search(const go_json& body,
                                                              unknown_fields unknown);
[[nodiscard]] result<v1::GroupJobsRequest> read_lookout_groups(const go_json& body,
                                                               unknown_fields unknown,
                                                               lookout_aggregates& wanted);

[[nodiscard]] go_json lookout_jobs(const v1::FindJobsResponse& found);
[[nodiscard]] go_json lookout_groups(const v1::GroupJobsResponse& found,
                                     const lookout_aggregates& wanted);

}  // namespace argosy::codec
