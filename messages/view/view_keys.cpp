// SPDX-License-Identifier: Apache-2.0
#include "messages/view/view_keys.hpp"

#include <xxhash.h>

#include "messages/codec/wire.hpp"
#include "runtime/store/key.hpp"

namespace argosy::view {

namespace {

/// 16 bytes that are the same on every machine.
std::string hash_of(std::string_view text) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(text.data(), text.size()));
  return {reinterpret_cast<const char*>(canonical.digest), sizeof canonical.digest};
}

/// Two parts with a zero byte between them. key_builder::text() is not used here, since it takes a
/// zero byte in the first part for a defect of the program, while here it may come from a caller.
std::string joined(std::string_view first, std::string_view second) {
  return std::string{first}.append(1, '\0').append(second);
}

}  // namespace

std::string client_id_key(const ledger::put_client_id& entry) {
  auto key = joined(entry.queue, {});
  if (entry.kind == ledger::id_kind::request) key += request_mark;
  return key += entry.client_id;
}

std::string node_key(std::string_view cluster, std::string_view node) {
  return joined(cluster, node);
}

std::string event_key(std::string_view queue, std::string_view job_set, event_place place) {
  return store::key_builder{}
      .bytes(event_prefix(queue, job_set))
      .number(place.position.value)
      .number(place.index)
      .take();
}

/// A hash, since the name of a queue and that of a pool may together be longer than a key.
std::string carried_key(const model::carried_entry& entry) {
  const bool is_of_job = !entry.job.is_nil();
  auto names = joined(joined(entry.pool, is_of_job ? std::string_view{} : entry.name),
                      codec::to_wire(entry.job));
  if (!entry.resource.empty()) names = joined(names, entry.resource);
  return std::string(1, static_cast<char>(entry.what)) + hash_of(names);
}

std::string event_prefix(std::string_view queue, std::string_view job_set) {
  return hash_of(joined(queue, job_set));
}

result<event_place> event_place_of(std::string_view key) {
  store::key_reader reader{key};
  const auto prefix = reader.bytes(hash_size);
  const auto position = reader.number();
  const auto index = reader.number();
  if (!prefix || !position || !index || !reader.rest().empty())
    return fail(ec::corrupt, "a key of the events has " + std::to_string(key.size()) +
                                 " bytes where 32 are due");
  return event_place{{*position}, static_cast<std::uint32_t>(*index)};
}

std::string_view job_key(const ulid& id) {
  return codec::to_wire(id);
}

std::string job_set_prefix(std::string_view queue, std::string_view job_set) {
  return joined(queue, hash_of(job_set));
}

}  // namespace argosy::view
