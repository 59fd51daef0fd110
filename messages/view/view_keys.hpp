// SPDX-License-Identifier: Apache-2.0
// This file declares the keys of the view's tables, as far as they are more than a name or a
// number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/base/result.hpp"
#include "runtime/base/ulid.hpp"
#include "runtime/ledger/change.hpp"
#include "runtime/model/event.hpp"

namespace argosy::view {

/// Where in the log an event stands.
struct event_place {
  model::log_position position{};
  std::uint32_t index = 0;
};

/// The key of a job in the tables of jobs. It refers to the bytes of `id`.
[[nodiscard]] std::string_view job_key(const ulid& id);
/// It stands before the idempotency key of a request, where a client id, which is printable, would
/// begin.
inline constexpr char request_mark = '\x01';
/// A key of table client_ids.
[[nodiscard]] std::string client_id_key(const ledger::put_client_id& entry);
/// A key of table nodes.
[[nodiscard]] std::string node_key(std::string_view cluster, std::string_view node);

/// A key of table carried.
[[nodiscard]] std::string carried_key(const model::carried_entry& entry);

/// The bytes that a hash has in a key.
inline constexpr std::size_t hash_size = 16;

/// The key prefix of a job set's events: 16 bytes of hash over queue and job set.
[[nodiscard]] std::string event_prefix(std::string_view queue, std::string_view job_set);
/// A key of table events.
[[nodiscard]] std::string event_key(std::string_view queue, std::string_view job_set,
                                    event_place place);
/// Decodes the key of an entry of table events.
[[nodiscard]] result<event_place> event_place_of(std::string_view key);
/// The prefix under which all job ids of a set stand in table job_sets, whose key is queue, NUL,
/// hash of the job set (16 bytes), job id (16 bytes).
[[nodiscard]] std::string job_set_prefix(std::string_view queue, std::string_view job_set);

}  // namespace argosy::view
