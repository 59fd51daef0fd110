// SPDX-License-Identifier: Apache-2.0
#include "runtime/bus/nats/signing.hpp"

#include <utility>

#include "runtime/access/nkey.hpp"
#include "runtime/bus/nats/session.hpp"

namespace argosy::bus {

result<void> sign_as(const access::credentials& who, nats_settings& settings) {
  auto key = access::public_key_of(who.seed);
  if (!key) return fail(std::move(key.error()));
  settings.nkey = std::move(*key);
  settings.nkey_seed = who.seed;
  settings.inbox_prefix = access::inbox_prefix(who.who);
  return {};
}

result<void> nats_session::sign_in(natsOptions* options, const nats_settings& settings) {
  if (settings.nkey.empty()) return {};
  seed_ = settings.nkey_seed;
  const auto code =
      natsOptions_SetNKey(options, settings.nkey.c_str(), &nats_session::on_question, this);
  if (code != NATS_OK) return fail(explain(code, "cannot prepare the connection's key"));
  return {};
}

natsStatus nats_session::on_question(char**, unsigned char** signature, int* size,
                                     const char* nonce, void* closure) {
  return nats_Sign(static_cast<nats_session*>(closure)->seed_.c_str(), nonce, signature, size);
}

}  // namespace argosy::bus
