// SPDX-License-Identifier: Apache-2.0
// The reply_places of a connection are the two subjects that a request names where answers come to
// a queue group. A nats-server tells that nobody serves a subject to no group, but to the reply
// subject of the request; so that is a place of its own, and a header names the one for the answer.
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "runtime/access/identity.hpp"
#include "runtime/bus/frame.hpp"
#include "runtime/bus/nats/settings.hpp"

namespace argosy::bus {

class reply_places {
 public:
  /// The header in which a request names the subject for its answer.
  static constexpr const char* answer_to = "argosy-reply";

  reply_places() = default;  ///< There is one place for both.
  /// Replies to this connection begin with `inbox_prefix`, without a dot at its end.
  explicit reply_places(std::string inbox_prefix)
      : inbox_(std::move(inbox_prefix)), unserved_(inbox_ + std::string{access::unserved_place}) {}

  [[nodiscard]] static reply_places of(const nats_settings& settings) {
    return settings.inbox_in_group ? reply_places{settings.inbox_prefix} : reply_places{};
  }
  [[nodiscard]] bool are_two() const noexcept { return !inbox_.empty(); }
  /// Where somebody who awaits replies at this pattern hears that nobody serves.
  [[nodiscard]] std::string unserved(std::string_view reply) const {
    return unserved_ + std::string{reply.substr(inbox_.size() + 1)};
  }
  /// Whether the group of inboxes listens to the pattern.
  [[nodiscard]] bool in_group(std::string_view pattern) const {
    return are_two() && pattern.starts_with(inbox_ + ".") && !pattern.starts_with(unserved_);
  }
  /// Reads a frame that has arrived: it names the place for its answer alone, and what says that
  /// nobody serves came to the place for answers.
  void join(frame& arrived) const {
    if (const auto answer = arrived.headers.get(answer_to)) {
      arrived.reply = *answer;
      arrived.headers.erase(answer_to);
    }
    if (are_two() && arrived.subject.starts_with(unserved_))
      arrived.subject = inbox_ + "." + arrived.subject.substr(unserved_.size());
  }

 private:
  std::string inbox_;
  std::string unserved_;
};

}  // namespace argosy::bus
