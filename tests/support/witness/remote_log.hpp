// SPDX-License-Identifier: Apache-2.0
// This file reads the log of a nats-server for the checker.
#pragma once

#include <filesystem>
#include <string>

#include "bins/simulator/witness/log_reader.hpp"

namespace argosy::witness {

/// Connects to the server as the credentials file says (nobody if it is empty), and reads its log.
[[nodiscard]] result<log_counts> read_log_of(const std::string& url,
                                             const std::filesystem::path& credentials,
                                             const event_taker& take);
/// The same, for a story, which is finished.
[[nodiscard]] result<log_counts> read_log_of(const std::string& url,
                                             const std::filesystem::path& credentials,
                                             log_story& into);

}  // namespace argosy::witness
