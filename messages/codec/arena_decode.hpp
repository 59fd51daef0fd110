// SPDX-License-Identifier: Apache-2.0
// Decoding of messages that are read once and dropped.
#pragma once

#include <google/protobuf/arena.h>

#include <string_view>
#include <utility>

#include "messages/codec/wire.hpp"

namespace argosy::codec {

/// Decodes `bytes` on an arena of its own and hands the message to `read`.
template <class Message, class Read>
auto decode_with(std::string_view bytes, std::string_view what, Read read)
    -> decltype(read(std::declval<const Message&>())) {
  google::protobuf::Arena arena;
  auto& in = *google::protobuf::Arena::CreateMessage<Message>(&arena);
  if (auto ok = decode(bytes, in, what); !ok) return fail(std::move(ok.error()));
  return read(in);
}

}  // namespace argosy::codec
