// SPDX-License-Identifier: Apache-2.0
// The verb queue update: reads the queue, changes the named settings, and writes it back unless it
// has changed meanwhile.
#include <fmt/format.h>

#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/verbs/queues/queue_names.hpp"
#include "bins/argosyctl/verbs/queues/queue_settings.hpp"
#include "bins/argosyctl/verbs/queues/queue_verbs.hpp"
#include "messages/codec/api/queue_codec.hpp"

namespace argosy::ctl {

namespace {

constexpr int tries_max = 5;
constexpr std::string_view get_method = "QueueService.GetQueue";

class update_command final : public command {
 public:
  explicit update_command(CLI::App& app) {
    app.footer(
        "argosyctl queue update team-a --priority-factor 4\n"
        "argosyctl queue update team-a --labels tier=gold,old- --owners ann\n"
        "argosyctl queue update team-a --resource-limits cpu=0.5,memory=0.5\n"
        "argosyctl queue update team-a --cordon");
    takes_printed(app.add_option("name", name_, "Name of the queue"), "queue")
        ->required()
        ->type_name("QUEUE");
    settings_.add_options(app);
  }
  std::vector<std::string> formats() const override { return {"table", "name", "json"}; }
  std::string_view completes() const override { return "queues"; }
  result<exit_code> run(session& s) override;

 private:
  struct version_of_queue {
    api::Queue queue;
    std::string version;
  };

  result<version_of_queue> fetch(client& server) const;
  result<bool> change(client& server, version_of_queue& known) const;

  std::string name_;
  queue_settings_flags settings_;
};

result<update_command::version_of_queue> update_command::fetch(client& server) const {
  api::QueueGetRequest request;
  request.set_name(name_);
  auto got = server.exchange(get_method, request.SerializeAsString(), repeatable::yes, {});
  if (!got && exit_code_of(got.error()) == exit_code::not_found)
    return fail(unknown_queue(server, name_));
  if (!got) return fail(std::move(got.error()));
  auto queue = decoded<api::Queue>(get_method, got->data);
  if (!queue) return fail(std::move(queue.error()));
  return version_of_queue{std::move(*queue), got->header("argosy-version")};
}

/// Writes the settings if they differ from the old ones; returns whether they did.
result<bool> update_command::change(client& server, version_of_queue& known) const {
  gather_owners(known.queue);
  const auto before = codec::from_wire(known.queue);
  if (auto applied = settings_.apply_to(known.queue); !applied)
    return fail(std::move(applied.error()));
  const auto after = codec::from_wire(known.queue);
  if (!after) return fail(after.error());
  if (before && *before == *after) return false;
  auto done = change_queue(server, "UpdateQueue", known.queue, queue_mode::update, known.version);
  if (!done && exit_code_of(done.error()) == exit_code::not_found)
    return fail(unknown_queue(server, name_));
  if (!done) return fail(std::move(done.error()));
  return true;
}

result<exit_code> update_command::run(session& s) {
  api::Queue named;
  if (auto valid = settings_.apply_to(named); !valid) return fail(std::move(valid.error()));
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  auto known = fetch(**server);
  if (!known) return fail(std::move(known.error()));
  if (!settings_.given())
    return fail(ec::invalid_argument,
                fmt::format("name what of queue '{}' is to change, for example --priority-factor 2",
                            name_));
  auto changed = change(**server, *known);
  for (int i = 1; i < tries_max && !changed && changed.error().code == ec::conflict; ++i) {
    known = fetch(**server);
    if (!known) return fail(std::move(known.error()));
    changed = change(**server, *known);
  }
  if (!changed) return fail(std::move(changed.error()));
  print_queue_done(s, name_, *changed ? "updated" : "unchanged");
  if (s.as == format::json) s.out.print_line(json_of(known->queue));
  return exit_code::success;
}

}  // namespace

void define_queue_update(CLI::App& app, command_set& commands) {
  commands.bind<update_command>(app);
}

}  // namespace argosy::ctl
