// SPDX-License-Identifier: Apache-2.0
// queue create|update|delete.
#include <fmt/format.h>

#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/complete/suggest.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/output/text.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/queue_names.hpp"
#include "google/protobuf/empty.pb.h"

namespace argosy::ctl {

namespace {

using google::protobuf::Empty;

result<api::Queue> fetch_queue(client& server, const std::string& name) {
  api::QueueGetRequest request;
  request.set_name(name);
  auto queue = call<api::Queue>(server, "QueueService.GetQueue", request);
  if (!queue && exit_code_of(queue.error()) == exit_code::not_found)
    return fail(unknown_queue(server, name));
  return queue;
}

result<std::pair<std::string, std::string>> parse_label(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return fail(ec::invalid_argument,
                fmt::format("--labels: '{}' is not of the form key=value", text));
  return std::pair{text.substr(0, equals), text.substr(equals + 1)};
}

void print_done(session& s, const std::string& name, std::string_view what) {
  if (s.as == format::name)
    s.out.print_line("queue/" + escaped(name));
  else if (s.as != format::json)
    s.out.print_line(fmt::format("queue/{} {}", escaped(name), what));
  s.out.flush();
}

/// Flags that create and update share.
class settings_command : public command {
 public:
  explicit settings_command(CLI::App& app) {
    app.add_option("name", name_, "Name of the queue")->required()->type_name("QUEUE");
    factor_option_ = app.add_option("--priority-factor", factor_,
                                    "1 or more; a queue with factor 2 gets half the share of one "
                                    "with factor 1")
                         ->type_name("F");
    cordon_option_ = app.add_flag("--cordon,!--uncordon", cordon_,
                                  "Start no jobs of this queue; --cordon=false opens it again");
    app.add_option("--labels", labels_, "Labels, separated by commas")
        ->type_name("K=V")
        ->delimiter(',')
        ->allow_extra_args(false);
  }
  std::vector<std::string> formats() const override { return {"table", "name", "json"}; }

 protected:
  /// Changes what was named on the command line.
  result<void> apply_to(api::Queue& queue) const {
    if (factor_option_->count() > 0) {
      if (!(factor_ >= 1))
        return fail(ec::invalid_argument,
                    fmt::format("--priority-factor must be 1 or more, not {}", factor_));
      queue.set_priority_factor(factor_);
    }
    if (cordon_option_->count() > 0) queue.set_cordoned(cordon_);
    for (const auto& text : labels_) {
      auto label = parse_label(text);
      if (!label) return fail(std::move(label.error()));
      (*queue.mutable_labels())[label->first] = label->second;
    }
    return {};
  }

  result<exit_code> finish(session& s, const api::Queue& queue, std::string_view what) const {
    print_done(s, queue.name(), what);
    if (s.as == format::json) s.out.print_line(json_of(queue));
    return exit_code::success;
  }

  std::string name_;

 private:
  double factor_ = 1;
  bool cordon_ = false;
  std::vector<std::string> labels_;
  CLI::Option* factor_option_ = nullptr;
  CLI::Option* cordon_option_ = nullptr;
};

class create_command final : public settings_command {
 public:
  using settings_command::settings_command;
  result<exit_code> run(session& s) override {
    api::Queue queue;
    queue.set_name(name_);
    queue.set_priority_factor(1);
    if (auto applied = apply_to(queue); !applied) return fail(std::move(applied.error()));
    auto server = s.server();
    if (!server) return fail(std::move(server.error()));
    api::QueueGetRequest request;
    request.set_name(name_);
    auto existing = call<api::Queue>(**server, "QueueService.GetQueue", request);
    if (existing)
      return fail(ec::already_exists,
                  fmt::format("the queue '{0}' exists already; change it with: argosyctl queue "
                              "update {0}",
                              name_));
    if (exit_code_of(existing.error()) != exit_code::not_found)
      return fail(std::move(existing.error()));
    auto made = call<Empty>(**server, "QueueService.CreateQueue", queue);
    if (!made) return fail(std::move(made.error()));
    return finish(s, queue, "created");
  }
};

class update_command final : public settings_command {
 public:
  using settings_command::settings_command;
  std::string_view completes() const override { return "queues"; }
  result<exit_code> run(session& s) override {
    api::Queue named;
    if (auto valid = apply_to(named); !valid) return fail(std::move(valid.error()));
    auto server = s.server();
    if (!server) return fail(std::move(server.error()));
    auto queue = fetch_queue(**server, name_);
    if (!queue) return fail(std::move(queue.error()));
    if (auto applied = apply_to(*queue); !applied) return fail(std::move(applied.error()));
    auto made = call<Empty>(**server, "QueueService.UpdateQueue", *queue);
    if (!made) return fail(std::move(made.error()));
    return finish(s, *queue, "updated");
  }
};

class delete_command final : public command {
 public:
  explicit delete_command(CLI::App& app) {
    app.add_option("names", names_, "Names of the queues")->required()->type_name("QUEUE");
  }
  std::vector<std::string> formats() const override { return {"table", "name"}; }
  std::string_view completes() const override { return "queues"; }
  result<exit_code> run(session& s) override;

 private:
  std::vector<std::string> names_;
};

result<void> check_idle(client& server, const std::string& name) {
  auto queue = fetch_queue(server, name);
  if (!queue) return fail(std::move(queue.error()));
  argosy::v1::ListJobsRequest request;
  request.set_queue(name);
  request.set_active_only(true);
  request.set_limit(1);
  auto jobs = list_jobs(server, request);
  if (!jobs) return fail(std::move(jobs.error()));
  if (!jobs->empty())
    return fail(ec::conflict,
                fmt::format("the queue '{}' has jobs that have not ended, such as {}; cancel them "
                            "or wait for them first",
                            name, jobs->front().job_id()));
  return {};
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
    auto gone = call<Empty>(**server, "QueueService.DeleteQueue", request);
    if (!gone) {
      if (done == 0) return fail(std::move(gone.error()));
      s.out.error_line(gone.error().detail);
      return exit_code::partial;
    }
    ++done;
    print_done(s, name, "deleted");
  }
  return exit_code::success;
}

CLI::App& add_part(CLI::App& queue, const std::string& name, const std::string& summary) {
  auto* sub = queue.add_subcommand(name, summary);
  sub->allow_extras();
  return *sub;
}

}  // namespace

error unknown_queue(client& server, const std::string& name) {
  std::vector<std::string> known;
  auto answer = call<argosy::v1::ListQueuesResponse>(server, "Query.ListQueues",
                                                     argosy::v1::ListQueuesRequest{});
  if (answer)
    for (const auto& queue : answer->queues()) known.push_back(queue.queue().name());
  return {ec::not_found,
          fmt::format("there is no queue '{}'{}; create it with: argosyctl queue create {}", name,
                      did_you_mean(name, known), name)};
}

result<void> check_queue(client& server, const std::string& name) {
  if (name.empty()) return {};
  auto queue = fetch_queue(server, name);
  if (!queue) return fail(std::move(queue.error()));
  return {};
}

void define_queue(CLI::App& app, command_set& commands) {
  commands.bind<create_command>(add_part(app, "create", "Create a queue."));
  commands.bind<update_command>(add_part(app, "update", "Change what is named of a queue."));
  commands.bind<delete_command>(add_part(app, "delete", "Delete queues without live jobs."));
}

}  // namespace argosy::ctl
