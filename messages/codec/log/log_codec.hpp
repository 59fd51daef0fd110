// SPDX-License-Identifier: Apache-2.0
// Log batches and events between the model and argosy.log.v1. Decoders take untrusted bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/base/result.hpp"
#include "runtime/model/event.hpp"

namespace argosy::codec {

/// The bytes of a batch as they stand in the log, without the MAC, which log_key::sign() appends.
[[nodiscard]] std::string encode_batch(const model::log_batch& batch);

/// Fails with ec::corrupt, naming the place, for bytes that are no batch or have an unknown format.
[[nodiscard]] result<model::log_batch> decode_batch(std::string_view bytes);

/// Whether the bytes are a batch, perhaps of a format that decode_batch() does not know or with
/// damage that it refuses. What is none was never written by an argosyd.
[[nodiscard]] bool is_batch(std::string_view bytes);

/// One event, as the store's event index keeps it. A job_submitted is written without its
/// specification when `with_spec` is false, since the store keeps that once.
[[nodiscard]] std::string encode_event(const model::event& event, bool with_spec);
[[nodiscard]] result<model::event> decode_event(std::string_view bytes);

/// The hash that chains batches: XXH3-64 of the encoded batch.
[[nodiscard]] std::uint64_t batch_hash(std::string_view bytes) noexcept;

}  // namespace argosy::codec
