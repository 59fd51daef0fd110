// SPDX-License-Identifier: Apache-2.0
// This file declares the settings of a connection to nats-server.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace argosy::bus {

struct nats_settings {
  /// "nats://token@host:port", or "tls://..." for an encrypted link; several separated by commas.
  std::string url{};
  /// Whether the servers are tried in the order of `url`, and not in a random one.
  bool in_order = false;
  /// The file with the certificates (PEM) that sign the server's certificate; empty for those of
  /// the system. If a file is given, the link is encrypted whatever the URL says.
  std::string ca_file{};
  /// The files (PEM) of a certificate and its private key, by which this process proves to the
  /// server who it is; the link is encrypted then, too. Both are empty if there are none.
  std::string certificate_file{};
  std::string key_file{};
  /// The NKey that proves who this is: its public key, and the seed that signs the server's
  /// question and is never sent. Both are empty if there is none.
  std::string nkey{};
  std::string nkey_seed{};
  /// The name that the server's monitoring shows for this connection.
  std::string name = "argosy";
  std::chrono::milliseconds connect_timeout{2'000};
  /// A silent server is given up after ping_interval x (pings_out + 1).
  std::chrono::milliseconds ping_interval{5'000};
  int pings_out = 2;
  /// The pause before each attempt to reconnect, to which a random part of the jitter is added.
  std::chrono::milliseconds reconnect_wait{250};
  std::chrono::milliseconds reconnect_jitter{250};
  /// Whether frames are sent at once instead of within a millisecond, as everything but bulk
  /// transfer should.
  bool send_asap = true;
  /// The first part of reply subjects, which must begin with "_INBOX"; the server's permissions
  /// may ask for more than that.
  std::string inbox_prefix = "_INBOX";
  /// Whether replies come to a queue group, as the server's permissions may ask, see reply_places.
  bool inbox_in_group = false;
  /// Whoever is asked on a subject that begins with `asked_prefix` has the next token of it as his
  /// name, and answers on subjects that begin with `answer_prefix` and that token, where he alone
  /// may. Both end with a dot, or are empty if all replies come to one place.
  std::string asked_prefix{};
  std::string answer_prefix{};
  /// Whether an answer to a frame that came on `subject` may go to `reply`; empty: it may go to
  /// every inbox. It is called on any thread.
  std::function<bool(std::string_view subject, std::string_view reply)> may_reply{};
  /// How many frames may wait for one subscription's handler. Further ones are dropped, which
  /// on_error reports: requests among them time out, and streams end.
  int pending_frames = 65'536;
  int pending_bytes = 256 << 20;
  /// Who has sent what came on this subject. While more comes than can be looked at, frames of
  /// those who send most are dropped, see crowd_core, but none without a sender. Empty: there are
  /// no senders. It is called on any thread.
  std::function<std::string_view(std::string_view subject)> sender_of{};
  /// Takes errors that no call returns, such as dropped frames and refused subjects. It is called
  /// on any thread.
  std::function<void(const std::string& text)> on_error{};
};

}  // namespace argosy::bus
