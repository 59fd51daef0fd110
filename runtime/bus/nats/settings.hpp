// SPDX-License-Identifier: Apache-2.0
// How to connect to nats-server.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace argosy::bus {

struct nats_settings {
  /// "nats://token@host:port", or "tls://..." for an encrypted link; several separated by commas.
  std::string url{};
  /// Certificates (PEM) that sign the server's; empty for the system's. With one given the link is
  /// encrypted whatever the URL says.
  std::string ca_file{};
  /// Shown by the server's monitoring.
  std::string name = "argosy";
  std::chrono::milliseconds connect_timeout{2'000};
  /// A silent server is given up after ping_interval x (pings_out + 1).
  std::chrono::milliseconds ping_interval{5'000};
  int pings_out = 2;
  /// Reconnects forever, after the wait plus a random part of the jitter.
  std::chrono::milliseconds reconnect_wait{250};
  std::chrono::milliseconds reconnect_jitter{250};
  /// Sends at once instead of within a millisecond: for all but bulk.
  bool send_asap = true;
  /// First part of reply subjects; the server's permissions may ask for another.
  std::string inbox_prefix = "_INBOX";
  /// What may wait for one subscription's handler. Further frames are dropped, and on_error says
  /// so; requests among them time out, streams end.
  int pending_frames = 65'536;
  int pending_bytes = 256 << 20;
  /// Errors that no call returns: dropped frames, refused subjects. Any thread.
  std::function<void(const std::string& text)> on_error{};
};

}  // namespace argosy::bus
