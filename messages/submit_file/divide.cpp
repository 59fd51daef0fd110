// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "messages/proto/api/submit.pb.h"
#include "messages/submit_file/job_file.hpp"
#include "messages/submit_file/wire_writer.hpp"

namespace argosy::submit_file {

namespace {

/// Jobs that must stay together: a gang, or a job on its own.
struct unit {
  std::vector<std::size_t> jobs;
  std::size_t bytes = 0;
};

/// The most bytes that tag and length of an item take.
constexpr std::size_t frame_size_max = 6;

std::vector<unit> units_of(const job_file& file) {
  std::vector<unit> units;
  std::map<std::string_view, std::size_t> by_gang;
  for (std::size_t i = 0; i < file.jobs.size(); ++i) {
    const auto& job = file.jobs[i];
    auto index = units.size();
    if (!job.gang.empty()) index = by_gang.try_emplace(job.gang, index).first->second;
    if (index == units.size()) units.emplace_back();
    units[index].jobs.push_back(i);
    units[index].bytes += job.item.size() + frame_size_max;
  }
  return units;
}

}  // namespace

result<std::vector<job_request>> divide(const job_file& file, std::size_t bytes_max,
                                        std::size_t jobs_max) {
  std::string head;
  put_bytes(api::JobSubmitRequest::kQueueFieldNumber, file.queue, head);
  put_bytes(api::JobSubmitRequest::kJobSetIdFieldNumber, file.job_set, head);
  std::vector<job_request> requests;
  std::size_t bytes = 0;  // An upper bound of the size of the request that is being filled.
  for (const auto& unit : units_of(file)) {
    if (head.size() + unit.bytes > bytes_max) {
      const auto& first = file.jobs[unit.jobs.front()];
      const auto what = first.gang.empty() ? "the job at line " + std::to_string(first.line)
                                           : "gang '" + first.gang.substr(0, 60) + "'";
      return fail(ec::too_large, what + " does not fit into one request of " +
                                     std::to_string(bytes_max) + " bytes: it has " +
                                     std::to_string(head.size() + unit.bytes));
    }
    if (requests.empty() || bytes + unit.bytes > bytes_max ||
        requests.back().jobs.size() + unit.jobs.size() > jobs_max) {
      requests.push_back({head, {}});
      bytes = head.size();
    }
    auto& request = requests.back();
    bytes += unit.bytes;
    for (const auto job : unit.jobs) {
      put_bytes(api::JobSubmitRequest::kJobRequestItemsFieldNumber, file.jobs[job].item,
                request.bytes);
      request.jobs.push_back(job);
    }
  }
  return requests;
}

}  // namespace argosy::submit_file
