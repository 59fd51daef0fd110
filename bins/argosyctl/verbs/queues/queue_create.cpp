// SPDX-License-Identifier: Apache-2.0
// The verb queue create: creates one queue by flags, or the queues of a file.
#include <fmt/format.h>

#include <iterator>
#include <set>

#include "bins/argosyctl/client/input.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/queues/queue_names.hpp"
#include "bins/argosyctl/verbs/queues/queue_settings.hpp"
#include "bins/argosyctl/verbs/queues/queue_verbs.hpp"
#include "messages/codec/api/queue_codec.hpp"
#include "messages/submit_file/job_file.hpp"

namespace argosy::ctl {

namespace {

constexpr std::size_t queue_file_size_max = 16u << 20;

class create_command final : public command {
 public:
  explicit create_command(CLI::App& app) {
    app.footer(
        "argosyctl queue create team-a --priority-factor 2 --owners ann,bob\n"
        "argosyctl queue create -f queues.yaml");
    app.add_option("name", name_, "Name of the queue")->type_name("QUEUE");
    settings_.add_options(app);
    app.add_option("-f,--file", file_, "Create the queues of this file (kind: Queue); - for stdin")
        ->type_name("FILE");
    app.add_flag("--dry-run", dry_run_, "Only read and check");
  }
  std::vector<std::string> formats() const override { return {"table", "name", "json"}; }
  result<exit_code> run(session& s) override;

 private:
  result<std::vector<api::Queue>> wanted(session& s) const;
  result<std::vector<api::Queue>> of_file(session& s) const;
  result<exit_code> create(session& s, client& server, const std::vector<api::Queue>& queues) const;

  std::string name_;
  std::string file_;
  bool dry_run_ = false;
  queue_settings_flags settings_;
};

error exists_already(const std::string& name) {
  return {ec::already_exists,
          fmt::format("the queue '{0}' exists already; change it with: argosyctl queue update {0}",
                      name)};
}

result<std::vector<api::Queue>> create_command::of_file(session& s) const {
  const auto text = read_input(s.in, file_, queue_file_size_max);
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
  if (!file_.empty() && settings_.given())
    return fail(ec::invalid_argument, "with --file the settings come from the file alone");
  if (!file_.empty()) return of_file(s);
  std::vector<api::Queue> queues(1);
  queues.front().set_name(name_);
  queues.front().set_priority_factor(1);
  if (auto applied = settings_.apply_to(queues.front()); !applied)
    return fail(std::move(applied.error()));
  return queues;
}

/// Checks this before anything of a file is sent. The server checks that nobody creates the queue
/// meanwhile.
result<void> check_absent(client& server, const std::string& name) {
  api::QueueGetRequest request;
  request.set_name(name);
  auto existing = call<api::Queue>(server, "QueueService.GetQueue", request);
  if (existing) return fail(exists_already(name));
  if (exit_code_of(existing.error()) != exit_code::not_found)
    return fail(std::move(existing.error()));
  return {};
}

result<exit_code> create_command::create(session& s, client& server,
                                         const std::vector<api::Queue>& queues) const {
  std::vector<std::string> json;
  for (const auto& queue : queues) {
    auto made = change_queue(server, "CreateQueue", queue, queue_mode::create);
    if (!made && made.error().code == ec::already_exists) made = fail(exists_already(queue.name()));
    if (!made && json.empty()) return fail(std::move(made.error()));
    if (!made) {
      s.out.error_line(fmt::format("queue '{}': {}", queue.name(), made.error().detail));
      return exit_code::partial;
    }
    json.push_back(json_of(queue));
    print_queue_done(s, queue.name(), "created");
  }
  if (s.as == format::json && file_.empty()) s.out.print_line(json.front());
  if (s.as == format::json && !file_.empty()) s.out.print(json_items(json));
  return exit_code::success;
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
    if (queues->size() > 1)
      if (auto absent = check_absent(**server, queue.name()); !absent)
        return fail(std::move(absent.error()));
  return create(s, **server, *queues);
}

}  // namespace

void define_queue_create(CLI::App& app, command_set& commands) {
  commands.bind<create_command>(app);
}

}  // namespace argosy::ctl
