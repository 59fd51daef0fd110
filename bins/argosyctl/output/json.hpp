// SPDX-License-Identifier: Apache-2.0
// Messages as proto3 JSON: names in lowerCamelCase, enumerations by name, 64-bit numbers as text,
// moments as times ("finishedTs"), default values printed. Pod specs alone leave out what was not
// set, since presence means something there. Control characters are always escaped.
#pragma once

#include <google/protobuf/message.h>

#include <string>
#include <vector>

#include "messages/proto/api/event.pb.h"
#include "messages/proto/api/job.pb.h"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::ctl {

/// The message as one line without a line feed.
[[nodiscard]] std::string json_of(const google::protobuf::Message& message);
/// Appends the same text.
void append_json(const google::protobuf::Message& message, std::string& out);

/// The fields of api.Queue, followed by the counters of the summary, in one object.
[[nodiscard]] std::string json_of(const argosy::v1::QueueSummary& queue);

/// Everything about a job: api.JobDetails followed by what DescribeJobResponse adds.
[[nodiscard]] std::string json_of(const argosy::v1::DescribeJobResponse& job);

/// api.JobDetails followed by "summary" with what the list knows beside it: why the job waits or
/// ended, its exit code, its pool and node.
[[nodiscard]] std::string json_of(const api::JobDetails& job,
                                  const argosy::v1::JobSummary& summary);

/// The items as {"items":[…]} with one item a line, and a line feed.
[[nodiscard]] std::string json_items(const std::vector<std::string>& items);

/// The text as a JSON string, quotes included.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace argosy::ctl
