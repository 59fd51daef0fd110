// SPDX-License-Identifier: Apache-2.0
// A session is one connection to nats-server with the settings that the product needs, and its
// events. The bus
// and the log on JetStream use one each; nothing else includes the library's header.
#pragma once

#include <nats/nats.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/bus/connection.hpp"
#include "runtime/bus/guarded.hpp"
#include "runtime/bus/nats/settings.hpp"

namespace argosy::bus {

struct session_events {
  std::function<void(link_status)> on_status;
  /// What the server said, for example that something is not permitted.
  std::function<void(natsStatus, const std::string& text)> on_error;
};

class nats_session {
 public:
  /// Connects, or fails with ec::unreachable, ec::denied or ec::invalid_argument.
  [[nodiscard]] static result<std::unique_ptr<nats_session>> open(const nats_settings& settings);
  ~nats_session();

  /// Events that came earlier are lost.
  void set_events(session_events events);

  [[nodiscard]] natsConnection* get() const noexcept { return connection_; }
  [[nodiscard]] link_status status() const;
  /// The servers of the URL, without what is secret in it.
  [[nodiscard]] const std::string& server() const noexcept { return server_; }
  /// The error of a failed call. `what` begins the sentence: "cannot serve 'a.b'".
  [[nodiscard]] error explain(natsStatus code, const std::string& what) const;
  /// No event comes after it returns. It must not be called from within an event. A repeated call
  /// does nothing.
  void close();

 private:
  nats_session() = default;

  result<void> connect(const nats_settings& settings);
  result<void> secure(natsOptions* options, const nats_settings& settings,
                      const std::vector<std::string>& urls) const;
  result<void> show_certificate(natsOptions* options, const nats_settings& settings) const;
  result<void> sign_in(natsOptions* options, const nats_settings& settings);
  static natsStatus on_question(char** error, unsigned char** signature, int* size,
                                const char* nonce, void* closure);
  static void on_disconnected(natsConnection*, void* closure);
  static void on_reconnected(natsConnection*, void* closure);
  static void on_closed(natsConnection*, void* closure);
  static void on_error(natsConnection*, natsSubscription*, natsStatus code, void* closure);
  void tell(link_status now);
  std::shared_ptr<guarded<session_events>> events();

  natsConnection* connection_ = nullptr;
  std::string server_;
  std::string seed_;
  /// Whether the last signature was one that the library cannot send.
  std::atomic<bool> must_ask_again_{false};
  std::mutex mutex_;
  std::condition_variable ended_;
  std::shared_ptr<guarded<session_events>> events_ =
      std::make_shared<guarded<session_events>>(session_events{});
  bool library_done_ = false;
  bool closed_ = false;
};

/// A URL list for messages: "nats://token@host:4222" becomes "nats://host:4222".
[[nodiscard]] std::string without_secrets(std::string_view urls);

/// What to do when a server asks for a certificate.
inline constexpr const char* certificate_hint =
    "if the server asks for a certificate of yours, nats.certificateFile and nats.keyFile (for "
    "argosyctl: --cert-file and --key-file) name one that it trusts";

/// The last message of the library on this thread, which says more than its status when
/// certificates are at fault.
[[nodiscard]] std::string library_words();

/// The error of a failed library call; the detail is "what at server: reason".
[[nodiscard]] error explain_status(natsStatus code, const std::string& what,
                                   const std::string& server);

}  // namespace argosy::bus
