// SPDX-License-Identifier: Apache-2.0
// queue create|update|delete.
#include <fmt/format.h>

#include <iterator>
#include <set>
#include <tuple>

#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/client/pages.hpp"
#include "bins/argosyctl/complete/suggest.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/output/text.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/queues/queue_names.hpp"
#include "google/protobuf/empty.pb.h"
#include "messages/codec/api/queue_codec.hpp"
#include "messages/submit_file/job_file.hpp"

namespace argosy::ctl {

namespace {

using google::protobuf::Empty;

constexpr std::size_t queue_file_size_max = 16u << 20;

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
    name_option_ = app.add_option("name", name_, "Name of the queue")->type_name("QUEUE");
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
    for (const auto& [flag, names, what] :
         {std::tuple{"--owners", &owners_, "Users"}, {"--group-owners", &group_owners_, "Groups"}})
      app.add_option(flag, *names, fmt::format("{} that own the queue, separated by commas", what))
          ->type_name("NAME")
          ->delimiter(',')
          ->allow_extra_args(false);
  }
  std::vector<std::string> formats() const override { return {"table", "name", "json"}; }

 protected:
  [[nodiscard]] bool has_settings() const {
    return factor_option_->count() > 0 || cordon_option_->count() > 0 || !labels_.empty() ||
           !owners_.empty() || !group_owners_.empty();
  }

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
    if (!owners_.empty()) queue.mutable_user_owners()->Assign(owners_.begin(), owners_.end());
    if (!group_owners_.empty())
      queue.mutable_group_owners()->Assign(group_owners_.begin(), group_owners_.end());
    return {};
  }

  std::string name_;
  CLI::Option* name_option_ = nullptr;

 private:
  double factor_ = 1;
  bool cordon_ = false;
  std::vector<std::string> labels_;
  std::vector<std::string> owners_;
  std::vector<std::string> group_owners_;
  CLI::Option* factor_option_ = nullptr;
  CLI::Option* cordon_option_ = nullptr;
};

class create_command final : public settings_command {
 public:
  explicit create_command(CLI::App& app) : settings_command(app) {
    app.add_option("-f,--file", file_, "Create the queues of this file (kind: Queue); - for stdin")
        ->type_name("FILE");
    app.add_flag("--dry-run", dry_run_, "Only read and check");
  }
  result<exit_code> run(session& s) override;

 private:
  result<std::vector<api::Queue>> wanted(session& s) const;
  result<std::vector<api::Queue>> of_file(session& s) const;

  std::string file_;
  bool dry_run_ = false;
};

result<std::vector<api::Queue>> create_command::of_file(session& s) const {
  result<std::string> text = std::string{};
  if (file_ == "-")
    text->assign(std::istreambuf_iterator<char>{s.in}, {});
  else
    text = read_file(file_, queue_file_size_max);
  if (!text) return fail(ec::invalid_argument, text.error().detail);
  const auto shown = file_ == "-" ? std::string{"stdin"} : file_;
  auto settings = submit_file::read_queues(*text, shown);
  if (!settings) return fail(std::move(settings.error()));
  if (settings->empty()) return fail(ec::invalid_argument, shown + " has no queue");
  std::vector<api::Queue> queues;
  std::set<std::string> names;
  for (const auto& queue : *settings) {
    if (!names.insert(queue.name).second)
      return fail(ec::invalid_argument,
                  fmt::format("{} has the queue '{}' twice", shown, queue.name));
    codec::to_wire(queue, queues.emplace_back());
  }
  return queues;
}

result<std::vector<api::Queue>> create_command::wanted(session& s) const {
  if (name_.empty() == file_.empty())
    return fail(ec::invalid_argument, "name the queue to create, or a file of queues with --file");
  if (!file_.empty() && has_settings())
    return fail(ec::invalid_argument, "with --file the settings come from the file alone");
  if (!file_.empty()) return of_file(s);
  std::vector<api::Queue> queues(1);
  queues.front().set_name(name_);
  queues.front().set_priority_factor(1);
  if (auto applied = apply_to(queues.front()); !applied) return fail(std::move(applied.error()));
  return queues;
}

result<void> check_absent(client& server, const std::string& name) {
  api::QueueGetRequest request;
  request.set_name(name);
  auto existing = call<api::Queue>(server, "QueueService.GetQueue", request);
  if (existing)
    return fail(ec::already_exists,
                fmt::format("the queue '{0}' exists already; change it with: argosyctl queue "
                            "update {0}",
                            name));
  if (exit_code_of(existing.error()) != exit_code::not_found)
    return fail(std::move(existing.error()));
  return {};
}

result<exit_code> create_command::run(session& s) {
  auto queues = wanted(s);
  if (!queues) return fail(std::move(queues.error()));
  if (dry_run_) {
    s.out.notice(fmt::format("{} queue{} checked; nothing was sent", queues->size(),
                             queues->size() == 1 ? "" : "s"));
    return exit_code::success;
  }
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  for (const auto& queue : *queues)
    if (auto absent = check_absent(**server, queue.name()); !absent)
      return fail(std::move(absent.error()));
  std::vector<std::string> json;
  for (const auto& queue : *queues) {
    auto made = call<Empty>(**server, "QueueService.CreateQueue", queue);
    if (!made && json.empty()) return fail(std::move(made.error()));
    if (!made) {
      s.out.error_line(fmt::format("queue '{}': {}", queue.name(), made.error().detail));
      return exit_code::partial;
    }
    json.push_back(json_of(queue));
    print_done(s, queue.name(), "created");
  }
  if (s.as == format::json && file_.empty()) s.out.print_line(json.front());
  if (s.as == format::json && !file_.empty()) s.out.print(json_items(json));
  return exit_code::success;
}

class update_command final : public settings_command {
 public:
  explicit update_command(CLI::App& app) : settings_command(app) { name_option_->required(); }
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
    print_done(s, queue->name(), "updated");
    if (s.as == format::json) s.out.print_line(json_of(*queue));
    return exit_code::success;
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
  sub->group("Verbs");
  sub->allow_extras();
  return *sub;
}

}  // namespace

error unknown_queue(client& server, const std::string& name) {
  std::vector<std::string> known;
  auto answer = call_pages<argosy::v1::ListQueuesResponse>(server, "Query.ListQueues",
                                                           argosy::v1::ListQueuesRequest{});
  if (answer)
    for (const auto& queue : answer->queues()) known.push_back(queue.queue().name());
  const auto hint = did_you_mean(name, known);
  return {ec::not_found,
          fmt::format("there is no queue '{0}'{1} Create it with: argosyctl queue create {0}", name,
                      hint.empty() ? "." : hint)};
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
