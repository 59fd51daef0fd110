// SPDX-License-Identifier: Apache-2.0
// A session is one connection to nats-server with the settings that the product needs, and its
// events. The bus and the log on JetStream use one each; nothing else includes the library's
// header. The library gives a connection up after its second refused log-in. The session then
// makes a new one, so that for its users a session only loses its link and gets it back.
#pragma once

#include <nats/nats.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/bus/connection.hpp"
#include "runtime/bus/guarded.hpp"
#include "runtime/bus/nats/connect_attempt.hpp"
#include "runtime/bus/nats/settings.hpp"

namespace argosy::bus {

struct session_events {
  std::function<void(link_status)> on_status;
  /// get() returns another connection from now on, which has none of the subscriptions. It comes
  /// before on_status says that there is a link.
  std::function<void()> on_renewed{};
  /// What the server said, for example that something is not permitted.
  std::function<void(natsStatus, const std::string& text)> on_error{};
};

class nats_session {
 public:
  /// Connects, or fails with ec::unreachable, ec::denied or ec::invalid_argument.
  [[nodiscard]] static result<std::unique_ptr<nats_session>> open(const nats_settings& settings);
  ~nats_session();

  /// Events that came earlier are lost.
  void set_events(session_events events);

  /// The present connection. One that was replaced stays valid, and closed, as long as the session.
  [[nodiscard]] natsConnection* get() const noexcept { return connection_; }
  [[nodiscard]] link_status status() const;
  /// The id of the server at the other end, which has a new one at each start; empty without a
  /// link.
  [[nodiscard]] std::string server_id() const;
  /// The servers of the URL, without what is secret in it.
  [[nodiscard]] const std::string& server() const noexcept { return server_; }
  /// The error of a failed call. `what` begins the sentence: "cannot serve 'a.b'".
  [[nodiscard]] error explain(natsStatus code, const std::string& what) const;
  /// No event comes after it returns. It must not be called from within an event. A repeated call
  /// does nothing.
  void close();

 private:
  explicit nats_session(const nats_settings& settings) : settings_(settings) {}

  /// Makes a connection and takes it in place of the present one.
  result<void> connect();
  void replace();
  void renew();
  result<void> secure(natsOptions* options, const nats_settings& settings,
                      const std::vector<std::string>& urls) const;
  result<void> show_certificate(natsOptions* options, const nats_settings& settings) const;
  result<void> sign_in(natsOptions* options, const nats_settings& settings, session_reach& reach);
  /// Signs the server's question for on_question().
  natsStatus answer(std::string_view question, unsigned char** signature, int* size);
  static natsStatus on_question(char** error, unsigned char** signature, int* size,
                                const char* nonce, void* closure);
  static void on_disconnected(natsConnection*, void* closure);
  static void on_reconnected(natsConnection*, void* closure);
  static void on_closed(natsConnection*, void* closure);
  static void on_error(natsConnection*, natsSubscription*, natsStatus code, void* closure);
  void tell(link_status now);
  std::shared_ptr<guarded<session_events>> events();

  [[nodiscard]] bool is_over(natsConnection* which) const;

  const nats_settings settings_;
  std::atomic<natsConnection*> connection_{nullptr};
  std::vector<natsConnection*> replaced_;
  std::vector<std::shared_ptr<session_reach>> reaches_;  ///< Those of all connections.
  std::string server_;
  std::string seed_;
  /// Whether the last signature was one that the library cannot send.
  std::atomic<bool> must_ask_again_{false};
  std::atomic<bool> asks_nobody_{false};  ///< Whether the last server did not ask for a key.
  std::mutex mutex_;
  std::condition_variable ended_;
  std::shared_ptr<guarded<session_events>> events_ =
      std::make_shared<guarded<session_events>>(session_events{});
  /// The connections of which the library has told the end.
  std::vector<natsConnection*> over_;
  std::atomic<bool> closed_{false};
  std::thread replacing_;  ///< Runs from the first time that a connection is over.
};

/// A URL list for messages: "nats://token@host:4222" becomes "nats://host:4222".
[[nodiscard]] std::string without_secrets(std::string_view urls);

/// Says why nothing is sent to a server that does not ask for the key that there is.
inline constexpr const char* asks_nobody_text =
    "the server asks nobody who he is, so that it is none that argosyd init set up, or its "
    "configuration has lost its users; nothing is sent to it";

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
