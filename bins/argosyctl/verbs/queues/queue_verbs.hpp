// SPDX-License-Identifier: Apache-2.0
// The verbs below `queue`, and how they send a change that must not overwrite another one unseen.
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

/// What the server refuses. Without a mode it refuses nothing, as in Armada.
enum class queue_mode : std::uint8_t {
  create,  ///< It refuses a queue whose name exists: ec::already_exists.
  update,  ///< It refuses a queue whose name does not exist: ec::not_found.
  strict,  ///< It refuses to delete a queue that has jobs: ec::conflict.
};

/// Calls a method of QueueService. `version` is what the server gave with the queue; if the queue
/// has changed since, the call fails with ec::conflict. It is sent only once, since the answer to a
/// second attempt would depend on the first. When no answer came, the error says that the outcome
/// is unknown.
[[nodiscard]] result<void> change_queue(client& server, std::string_view method,
                                        const google::protobuf::MessageLite& request,
                                        queue_mode mode, const std::string& version = {});

}  // namespace argosy::ctl
