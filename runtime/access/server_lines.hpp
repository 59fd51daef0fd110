// SPDX-License-Identifier: Apache-2.0
// Lines of the configuration that every nats-server of ours has.
#pragma once

#include <string>
#include <string_view>

namespace argosy::access {

/// A nats-server holds up whoever sends to a client for whom half of max_pending waits, by 100 ms
/// to 1 s for each message, and so argosyd with all that it says to others. It closes a client that
/// takes nothing of one write for 10 s (write_deadline). By this value he is closed before anybody
/// is held up, since nobody is sent half of it in that time, see border::answer_rate. A server that
/// runs refuses the line when it reads its configuration again.
inline constexpr std::string_view max_pending_line =
    "max_pending: 1073741824  # Until then who does not read holds nobody up.\n";

/// The bound stands in the block of JetStream behind the folder. Without one a server allows at
/// each of its starts three quarters of what is free then, and drops the streams that reserve more.
/// The bound is a petabyte, since journal.logBytesMax and the disk that argosyd sees bound the log.
inline constexpr std::string_view store_bound = ", max_file_store: 1125899906842624";

/// The line of JetStream, with the name of its folder in quotes.
[[nodiscard]] inline std::string store_line(std::string_view quoted_folder) {
  return std::string{"jetstream { store_dir: "}.append(quoted_folder).append(store_bound) + " }\n";
}

/// The same for one of several servers that keep copies: what one confirms is on its disk, so that
/// no copy forgets what it has voted for.
[[nodiscard]] inline std::string store_line_of_copies(std::string_view quoted_folder) {
  return std::string{"jetstream { store_dir: "}.append(quoted_folder).append(store_bound) +
         ", sync_interval: always }\n";
}

}  // namespace argosy::access
