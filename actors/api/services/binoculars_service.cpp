// SPDX-License-Identifier: Apache-2.0
// The service Binoculars gives the output of a job's pod, which is a run here, line by line.
#include <algorithm>
#include <memory>
#include <optional>

#include "actors/api/gateway_services.hpp"
#include "actors/api/summaries.hpp"
#include "messages/codec/api/pod_log.hpp"

namespace argosy::actors {

namespace {

void fail_without_pod(const call& caller, const binoculars::LogRequest& request) {
  const auto space = request.pod_namespace().empty() ? "default" : request.pod_namespace();
  caller.fail(ec::not_found, "pod armada-" + request.job_id() + "-" +
                                 std::to_string(request.pod_number()) +
                                 " does not exist in namespace '" + space + "'");
}

/// The last run, or with `previous` the one before; null when there is none.
const model::run_record* wanted_run(const model::job_record& job, bool previous) {
  const std::size_t back = previous ? 2 : 1;
  return job.runs.size() < back ? nullptr : &job.runs[job.runs.size() - back];
}

/// Reads chunk after chunk until there is no more or the answer is full. The output of a run that
/// lives grows meanwhile, so that what there is ends with the first empty chunk.
class log_reading : public std::enable_shared_from_this<log_reading> {
 public:
  log_reading(gateway_services& gateway, call caller, const model::job_record& job,
              const model::run_record& run, const binoculars::LogRequest& request)
      : all_(gateway), from_(std::move(caller)), cluster_(run.cluster) {
    const auto& options = request.log_options();
    started_ns_ = run.started_ns > 0 ? run.started_ns : run.leased_ns;
    begin_ = codec::log_offset_since(request.since_time(), started_ns_);
    if (options.taillines() > 0) tail_ = static_cast<std::size_t>(options.taillines());
    if (options.limitbytes() > 0)
      bytes_max_ = std::min(bytes_max_, static_cast<std::size_t>(options.limitbytes()));
    wanted_.run = {job.header->id, run.number};
    wanted_.offset = begin_;
    wanted_.container = options.container();
  }

  void begin() {
    if (const auto silence =
            silent_output(cluster_, *all_.config.contacts, all_.config.clock->boot())) {
      from_.fail(ec::unavailable, *silence);
      return;
    }
    all_.with_cluster(from_, cluster_, [self = shared_from_this()](const cluster_actor& where) {
      self->where_ = where;
      self->ask_next();
    });
  }

 private:
  void ask_next() {
    wanted_.size_max =
        static_cast<std::uint32_t>(std::min<std::size_t>(model::log_chunk_bytes_max, room()));
    all_.ask(
        from_, where_,
        [self = shared_from_this()](const native::log_chunk_ptr& chunk) { self->take(*chunk); },
        atom::read_log_v, wanted_);
  }

  void take(const model::log_chunk& chunk) {
    output_.append(chunk.data, 0, room());
    wanted_.offset = chunk.next_offset;
    wanted_.position = chunk.position;
    if (chunk.end || chunk.data.empty() || room() == 0)
      from_.reply(codec::log_lines(output_, begin_, started_ns_, tail_));
    else
      ask_next();
  }

  [[nodiscard]] std::size_t room() const { return bytes_max_ - output_.size(); }

  gateway_services& all_;
  call from_;
  model::cluster_name cluster_;
  cluster_actor where_;
  model::log_request wanted_;
  std::int64_t started_ns_ = 0;
  std::uint64_t begin_ = 0;
  std::size_t tail_ = 0;  ///< 0: all lines.
  std::size_t bytes_max_ = codec::pod_log_bytes_max;
  std::string output_;
};

void read_output(gateway_services& gateway, const call& caller,
                 const binoculars::LogRequest& request, const model::job_record& job) {
  const auto& space = request.pod_namespace();
  const auto* run = wanted_run(job, request.log_options().previous());
  if (run == nullptr || request.pod_number() != 0 ||
      job.header->name_space != (space.empty() ? "default" : space)) {
    fail_without_pod(caller, request);
    return;
  }
  std::make_shared<log_reading>(gateway, caller, job, *run, request)->begin();
}

/// Armada's clients know a job that is not there as a pod that is not there.
void read_logs(gateway_services& gateway, const call& caller,
               const binoculars::LogRequest& request) {
  if (!parse_ulid(request.job_id())) {
    fail_without_pod(caller, request);
    return;
  }
  gateway.with_job(caller, request.job_id(), false,
                   [&gateway, caller, request](const model::job_record& job) {
                     gateway.with_queue(caller, job.header->queue,
                                        [&gateway, caller, request, job](const queue_actor&) {
                                          read_output(gateway, caller, request, job);
                                        });
                   });
}

}  // namespace

void add_binoculars_service(method_table& table) {
  table["Binoculars.Logs"] = decoded<binoculars::LogRequest>(read_logs);
}

}  // namespace argosy::actors
