// SPDX-License-Identifier: Apache-2.0
// Decoding of messages that are read once and dropped.
#pragma once

#include <google/protobuf/arena.h>

#include <string>
#include <string_view>
#include <utility>

#include "messages/codec/api/request_weight.hpp"
#include "messages/codec/wire.hpp"

namespace argosy::codec {

/// A message between agent and control plane may take so much memory when it is decoded.
inline constexpr std::size_t agent_memory_max = std::size_t{64} << 20;

/// Decodes `bytes` on an arena of its own and hands the message to `read`. Fails with ec::corrupt
/// also if they would take more than agent_memory_max.
template <class Message, class Read>
auto decode_with(std::string_view bytes, std::string_view what, Read read)
    -> decltype(read(std::declval<const Message&>())) {
  google::protobuf::Arena arena;
  auto& in = *google::protobuf::Arena::CreateMessage<Message>(&arena);
  if (is_heavier(bytes, in, agent_memory_max))
    return fail(ec::corrupt, "a " + std::string{what} + " has more parts than can be");
  if (auto ok = decode(bytes, in, what); !ok) return fail(std::move(ok.error()));
  return read(in);
}

}  // namespace argosy::codec
