// SPDX-License-Identifier: Apache-2.0
// The verbs below `queue`, and how they send a change that must not meet another one unseen.
#pragma once

#include <google/protobuf/message_lite.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "bins/argosyctl/client/client.hpp"
#include "bins/argosyctl/verbs/command.hpp"

namespace argosy::ctl {

void define_queue_create(CLI::App& app, command_set& commands);
void define_queue_update(CLI::App& app, command_set& commands);
void define_queue_delete(CLI::App& app, command_set& commands);

/// What the server refuses; without a mode it takes everything, as Armada's does.
enum class queue_mode : std::uint8_t {
  create,  ///< A queue of this name: ec::already_exists.
  update,  ///< No queue of this name: ec::not_found.
  strict,  ///< A deletion of a queue that has jobs: ec::conflict.
};

/// Calls a method of QueueService. With a `version`, as the server gave it with the queue, a queue
/// that has changed since is ec::conflict. It is sent once, since a second answer would tell of the
/// first: when none came, the error says that the outcome is unknown.
[[nodiscard]] result<void> change_queue(client& server, std::string_view method,
                                        const google::protobuf::MessageLite& request,
                                        queue_mode mode, const std::string& version = {});

}  // namespace argosy::ctl
