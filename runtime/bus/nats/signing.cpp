// SPDX-License-Identifier: Apache-2.0
#include "runtime/bus/nats/signing.hpp"

#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "runtime/access/nkey.hpp"
#include "runtime/bus/nats/session.hpp"

namespace argosy::bus {

namespace {

/// A nats-server's question has 15 to 20 characters.
constexpr std::size_t question_bytes_max = 1'024;

}  // namespace

result<void> sign_as(const access::credentials& who, nats_settings& settings) {
  auto key = access::public_key_of(who.seed);
  if (!key) return fail(std::move(key.error()));
  settings.nkey = std::move(*key);
  settings.nkey_seed = who.seed;
  settings.inbox_prefix = access::inbox_prefix(who.who);
  settings.inbox_in_group = who.who.what != access::party::control_plane;
  if (who.who.what == access::party::control_plane) {
    settings.asked_prefix = access::agent_subjects;
    settings.answer_prefix = access::answer_subjects;
    settings.may_reply = access::may_reply;
  }
  return {};
}

result<void> nats_session::sign_in(natsOptions* options, const nats_settings& settings,
                                   session_reach& reach) {
  if (settings.nkey.empty()) return {};
  seed_ = settings.nkey_seed;
  const auto code =
      natsOptions_SetNKey(options, settings.nkey.c_str(), &nats_session::on_question, &reach);
  if (code != NATS_OK) return fail(explain(code, "cannot prepare the connection's key"));
  return {};
}

natsStatus nats_session::on_question(char**, unsigned char** signature, int* size,
                                     const char* nonce, void* closure) {
  auto out = NATS_ERR;
  reach_by(closure, [&](nats_session& self) {
    out = self.answer(nonce == nullptr ? "" : nonce, signature, size);
  });
  return out;
}

natsStatus nats_session::answer(std::string_view question, unsigned char** signature, int* size) {
  // The question comes from whoever is at the address, and is absent if he asks nobody.
  if (question.empty() || question.size() > question_bytes_max) {
    const bool known = asks_nobody_.exchange(true);
    // Whoever makes another connection says so himself.
    const bool makes_another = [this] {
      const std::lock_guard lock{mutex_};
      return connection_ == nullptr || is_over(connection_);
    }();
    if (!known && !makes_another && settings_.on_error)
      settings_.on_error("no connection to " + server_ + ": " + asks_nobody_text + "; trying on");
    return NATS_ERR;
  }
  asks_nobody_ = false;
  const auto made = access::sign(seed_, question);
  if (!made) return NATS_ERR;
  // The server refuses what libnats 3.4.1 makes of a signature that begins with a zero, and two
  // such refusals close the connection for good. Another failure is tried again, with another
  // question.
  must_ask_again_ = made->front() == '\0';
  if (must_ask_again_) return NATS_ILLEGAL_STATE;
  // The library frees it.
  *signature = static_cast<unsigned char*>(std::malloc(made->size()));
  if (*signature == nullptr) return NATS_NO_MEMORY;
  std::memcpy(*signature, made->data(), made->size());
  *size = static_cast<int>(made->size());
  return NATS_OK;
}

}  // namespace argosy::bus
