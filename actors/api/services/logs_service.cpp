// SPDX-License-Identifier: Apache-2.0
// The service Logs gives the output of runs, which is read where they ran.
#include "actors/api/gateway_services.hpp"
#include "actors/api/selections.hpp"
#include "actors/api/summaries.hpp"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::actors {

namespace {

/// The run that is asked for, or the job's last one; null when there is none.
const model::run_record* run_of(const model::job_record& job, std::uint32_t number) {
  if (job.runs.empty()) return nullptr;
  if (number == 0) return &job.runs.back();
  for (const auto& run : job.runs)
    if (run.number == number) return &run;
  return nullptr;
}

/// Whether the agent could not be asked. What it says itself is told as it is.
bool is_away(ec code) {
  return code == ec::unreachable || code == ec::no_responders || code == ec::timeout;
}

/// The output is on the machine where the run is or was.
void read_chunk(gateway_services& gateway, const call& caller, const model::cluster_name& cluster,
                const model::log_request& wanted) {
  if (const auto silence =
          silent_output(cluster, *gateway.config.contacts, gateway.config.clock->boot())) {
    caller.fail(ec::unavailable, *silence);
    return;
  }
  const auto failed = [caller, cluster](const caf::error& err) {
    auto why = from_caf(err);
    if (is_away(why.code))
      why = {ec::unavailable, "the agent of cluster '" + cluster +
                                  "' does not answer; the output that it has can be read when it "
                                  "is back"};
    caller.fail(why);
  };
  gateway.with_cluster(
      caller, cluster, [&gateway, caller, wanted, failed](const cluster_actor& where) {
        gateway.self->request(where, gateway.config.request_timeout, atom::read_log_v, wanted)
            .then(
                [caller, wanted](const native::log_chunk_ptr& chunk) {
                  v1::ReadLogResponse response;
                  response.set_data(chunk->data);
                  response.set_next_offset(chunk->next_offset);
                  response.set_end(chunk->end);
                  response.mutable_turns()->Assign(chunk->turns.begin(), chunk->turns.end());
                  response.set_position(chunk->position);
                  response.set_lost(chunk->lost);
                  response.set_packed(chunk->packed);
                  response.set_run(wanted.run.number);
                  caller.reply(response);
                },
                failed);
      });
}

void read_job_log(gateway_services& gateway, const call& caller, const v1::ReadLogRequest& request,
                  const model::job_record& job) {
  const auto& id = job.header->id;
  const auto* run = run_of(job, request.run());
  if (run == nullptr) {
    if (request.run() != 0) {
      caller.fail(ec::not_found,
                  "job " + to_string(id) + " has no run " + std::to_string(request.run()));
      return;
    }
    // There is no output yet; the log is at its end if there never will be any.
    v1::ReadLogResponse response;
    response.set_end(model::is_terminal(job.state));
    response.set_next_offset(request.offset());
    caller.reply(response);
    return;
  }
  model::log_request wanted;
  wanted.run = {id, run->number};
  wanted.offset = request.offset();
  wanted.container = request.container();
  wanted.tail_lines = request.tail_lines();
  wanted.since_ns = request.since_ns();
  wanted.position = request.position();
  wanted.follow = request.follow();
  wanted.unpacks = request.unpacks();
  if (request.size_max() > 0)
    wanted.size_max = std::min(request.size_max(), model::log_chunk_bytes_max);
  read_chunk(gateway, caller, run->cluster, wanted);
}

void read_log(gateway_services& gateway, const call& caller, const v1::ReadLogRequest& request) {
  gateway.with_job(caller, request.job_id(), false,
                   [&gateway, caller, request](const model::job_record& job) {
                     gateway.with_queue(caller, job.header->queue,
                                        [&gateway, caller, request, job](const queue_actor&) {
                                          read_job_log(gateway, caller, request, job);
                                        });
                   });
}
}  // namespace

void add_logs_service(method_table& table) {
  table["Logs.Read"] = decoded<v1::ReadLogRequest>(read_log);
}

}  // namespace argosy::actors
