// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/log/log_codec.hpp"

#include <google/protobuf/arena.h>
#include <xxhash.h>

#include "messages/codec/log/log_event.hpp"
#include "messages/codec/wire.hpp"

namespace argosy::codec {

namespace {

using google::protobuf::Arena;

constexpr std::uint32_t batch_format = 1;

}  // namespace

std::string encode_batch(const model::log_batch& batch) {
  Arena arena;
  auto& out = *Arena::CreateMessage<log::v1::Batch>(&arena);
  out.set_format(batch.format);
  out.set_generation(batch.generation.value);
  out.set_epoch(batch.epoch.value);
  out.set_number(batch.number);
  out.set_previous_hash(batch.previous_hash);
  out.mutable_events()->Reserve(static_cast<int>(batch.events.size()));
  for (const auto& event : batch.events) to_wire(event, true, *out.add_events());
  return encode_sorted(out);
}

bool is_batch(std::string_view bytes) {
  Arena arena;
  auto& in = *Arena::CreateMessage<log::v1::Batch>(&arena);
  return decode(bytes, in, "log batch") && in.format() != 0;
}

result<model::log_batch> decode_batch(std::string_view bytes) {
  Arena arena;
  auto& in = *Arena::CreateMessage<log::v1::Batch>(&arena);
  if (auto ok = decode(bytes, in, "log batch"); !ok) return fail(std::move(ok.error()));
  if (auto ok = check_format(in.format(), batch_format, "log batch"); !ok)
    return fail(std::move(ok.error()));
  model::log_batch batch;
  batch.format = in.format();
  batch.generation = {in.generation()};
  batch.epoch = {in.epoch()};
  batch.number = in.number();
  batch.previous_hash = in.previous_hash();
  batch.has_mac = !in.mac().empty();
  batch.events.reserve(static_cast<std::size_t>(in.events_size()));
  for (int i = 0; i < in.events_size(); ++i) {
    auto event = from_wire(in.events(i));
    if (!event)
      return fail(ec::corrupt, "log batch " + std::to_string(in.epoch()) + "." +
                                   std::to_string(in.number()) + ", event " + std::to_string(i) +
                                   ": " + event.error().detail);
    batch.events.push_back(std::move(*event));
  }
  return batch;
}

std::string encode_event(const model::event& event, bool with_spec) {
  log::v1::Event out;
  to_wire(event, with_spec, out);
  return encode_sorted(out);
}

result<model::event> decode_event(std::string_view bytes) {
  log::v1::Event in;
  if (auto ok = decode(bytes, in, "log event"); !ok) return fail(std::move(ok.error()));
  return from_wire(in);
}

std::uint64_t batch_hash(std::string_view bytes) noexcept {
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace argosy::codec
