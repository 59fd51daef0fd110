// SPDX-License-Identifier: Apache-2.0
#include "tests/support/witness/remote_log.hpp"

#include "runtime/access/credentials.hpp"
#include "runtime/bus/nats/signing.hpp"
#include "runtime/eventlog/jetstream/jetstream_log.hpp"

namespace argosy::witness {

result<log_counts> read_log_of(const std::string& url, const std::filesystem::path& credentials,
                               const event_taker& take) {
  eventlog::jetstream_settings settings;
  settings.nats.url = url;
  if (!credentials.empty()) {
    const auto who = access::read_credentials(credentials);
    if (!who) return fail(who.error());
    if (auto done = bus::sign_as(*who, settings.nats); !done) return fail(done.error());
  }
  auto log = eventlog::open_jetstream(settings);
  if (!log) return fail(log.error());
  auto counts = read_log(**log, take);
  (*log)->close();
  return counts;
}

result<log_counts> read_log_of(const std::string& url, const std::filesystem::path& credentials,
                               log_story& into) {
  auto counts = read_log_of(url, credentials, [&into](std::uint64_t record, const auto& event) {
    into.add(record, event);
  });
  into.finish();
  return counts;
}

}  // namespace argosy::witness
