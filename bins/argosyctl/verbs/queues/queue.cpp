// SPDX-License-Identifier: Apache-2.0
// The verb queue create|update|delete.
#include <fmt/format.h>

#include "bins/argosyctl/verbs/queues/queue_verbs.hpp"

namespace argosy::ctl {

namespace {

std::string_view name_of(queue_mode mode) {
  switch (mode) {
    case queue_mode::create:
      return "create";
    case queue_mode::update:
      return "update";
    case queue_mode::strict:
      break;
  }
  return "strict";
}

CLI::App& add_part(CLI::App& queue, const std::string& name, const std::string& summary) {
  auto* sub = queue.add_subcommand(name, summary);
  sub->group("Verbs");
  sub->allow_extras();
  return *sub;
}

}  // namespace

result<void> change_queue(client& server, std::string_view method,
                          const google::protobuf::MessageLite& request, queue_mode mode,
                          const std::string& version) {
  header_list headers{{"argosy-mode", std::string{name_of(mode)}}};
  if (!version.empty()) headers.emplace_back("argosy-expect", version);
  auto done = server.exchange(fmt::format("QueueService.{}", method), request.SerializeAsString(),
                              repeatable::no, headers);
  if (done) return {};
  auto why = std::move(done.error());
  if (perhaps_taken(why.code))
    why.detail += "; whether it was done is unknown, look with: argosyctl get queues";
  return fail(std::move(why));
}

void define_queue(CLI::App& app, command_set& commands) {
  define_queue_create(add_part(app, "create", "Create a queue."), commands);
  define_queue_update(add_part(app, "update", "Change what is named of a queue."), commands);
  define_queue_delete(add_part(app, "delete", "Delete queues without live jobs."), commands);
  app.footer(
      "argosyctl queue create team-a --priority-factor 2\n"
      "argosyctl queue update team-a --cordon\n"
      "argosyctl get queues");
}

}  // namespace argosy::ctl
