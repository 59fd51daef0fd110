// SPDX-License-Identifier: Apache-2.0
// The verb queue delete: deletes only queues whose jobs have all ended.
#include <fmt/format.h>

#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/verbs/queues/queue_names.hpp"
#include "bins/argosyctl/verbs/queues/queue_settings.hpp"
#include "bins/argosyctl/verbs/queues/queue_verbs.hpp"

namespace argosy::ctl {

namespace {

class delete_command final : public command {
 public:
  explicit delete_command(CLI::App& app) {
    app.footer("argosyctl queue delete team-a");
    takes_printed(app.add_option("names", names_, "Names of the queues"), "queue")
        ->required()
        ->type_name("QUEUE");
  }
  std::vector<std::string> formats() const override { return {"table", "name"}; }
  std::string_view completes() const override { return "queues"; }
  result<exit_code> run(session& s) override;

 private:
  std::vector<std::string> names_;
};

/// Fails if the queue has a job, and names it. The server checks that none comes meanwhile.
result<void> check_idle(client& server, const std::string& name) {
  if (auto known = check_queue(server, name, false); !known) return known;
  argosy::v1::ListJobsRequest request;
  request.set_queue(name);
  request.set_active_only(true);
  request.set_limit(1);
  const auto jobs = list_jobs(server, request);
  if (!jobs) return fail(jobs.error());
  if (jobs->empty()) return {};
  return fail(ec::conflict,
              fmt::format("the queue '{}' has jobs that have not ended, such as {}; cancel them "
                          "or wait for them first",
                          name, jobs->front().job_id()));
}

result<exit_code> delete_command::run(session& s) {
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  for (const auto& name : names_)
    if (auto idle = check_idle(**server, name); !idle) return fail(std::move(idle.error()));
  std::size_t done = 0;
  for (const auto& name : names_) {
    api::QueueDeleteRequest request;
    request.set_name(name);
    auto gone = change_queue(**server, "DeleteQueue", request, queue_mode::strict);
    if (!gone) {
      if (done == 0) return fail(std::move(gone.error()));
      s.out.error_line(gone.error().detail);
      return exit_code::partial;
    }
    ++done;
    print_queue_done(s, name, "deleted");
  }
  return exit_code::success;
}

}  // namespace

void define_queue_delete(CLI::App& app, command_set& commands) {
  commands.bind<delete_command>(app);
}

}  // namespace argosy::ctl
