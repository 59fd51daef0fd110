// SPDX-License-Identifier: Apache-2.0
// What an address says by itself, without asking anybody: whether it can be one at all, and whether
// other machines reach it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/settings/value.hpp"

namespace argosy::settings {

/// The host of "HOST:PORT", "[::1]:PORT", "scheme://HOST:PORT/path" or "scheme://user@HOST",
/// without brackets; empty if there is none.
[[nodiscard]] std::string host_of(std::string_view address);

/// The port of such an address, as it is written; empty if there is none.
[[nodiscard]] std::string port_of(std::string_view address);

/// Whether the host can be one: an address of IPv4 or IPv6, or a name of letters, digits, '-', '_'
/// and dots whose last part is no number.
[[nodiscard]] bool is_host(std::string host);

/// Whether the host is of 127.0.0.0/8, ::1 or localhost, which no other machine reaches.
[[nodiscard]] bool is_loopback(const std::string& host);

/// The parts of a list without the spaces around them; empty ones are left out.
[[nodiscard]] std::vector<std::string> parts_of(const std::string& text, char separator);

/// What is wrong with the URLs of a nats-server, which commas separate; nothing if they can be
/// some.
[[nodiscard]] complaint check_nats_urls(const std::string& urls);
/// What is wrong with the origins that a browser may name; nothing if each can be one.
[[nodiscard]] complaint check_origins(const std::vector<std::string>& origins);

}  // namespace argosy::settings
