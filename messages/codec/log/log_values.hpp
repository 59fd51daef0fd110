// SPDX-License-Identifier: Apache-2.0
// Values of argosy.log.v1 that both the log and the store hold. This header is private to
// messages/codec.
#pragma once

#include <string_view>

#include "messages/codec/wire.hpp"
#include "runtime/model/event.hpp"

namespace argosy::codec {

/// Writes the header without queue and specification, which stand beside it wherever it is written.
void to_wire(const model::job_header& header, log::v1::JobHeader& out);
/// The header of a job of `queue`; its specification is null.
[[nodiscard]] result<model::job_header> from_wire(const log::v1::JobHeader& in,
                                                  std::string_view queue);

void to_wire(const ulid_range& range, log::v1::IdRange& out);
/// ec::corrupt for a range of no ids, or of more than a request can have jobs.
[[nodiscard]] result<ulid_range> from_wire(const log::v1::IdRange& in);

/// These stand beside their form in the API, in messages/codec/api/queue_codec.cpp.
void to_wire(const model::queue_settings& settings, log::v1::QueueSettings& out);
[[nodiscard]] model::queue_settings from_wire(const log::v1::QueueSettings& in);

void to_wire(const model::leader_elected& claim, log::v1::LeaderElected& out);
[[nodiscard]] model::leader_elected from_wire(const log::v1::LeaderElected& in);

void to_wire(const model::plane& plane, log::v1::Plane& out);
[[nodiscard]] model::plane from_wire(const log::v1::Plane& in);

void to_wire(const model::generation_begun& begun, log::v1::GenerationBegun& out);
[[nodiscard]] model::generation_begun from_wire(const log::v1::GenerationBegun& in);

void to_wire(const model::call_recorded& call, log::v1::CallRecorded& out);
[[nodiscard]] model::call_recorded from_wire(const log::v1::CallRecorded& in);

void to_wire(const model::settings_changed& change, log::v1::SettingsChanged& out);
[[nodiscard]] model::settings_changed from_wire(const log::v1::SettingsChanged& in);

void to_wire(const model::operation& operation, log::v1::Operation& out);
[[nodiscard]] result<model::operation> from_wire(const log::v1::Operation& in);

void to_wire(const model::round_decided& round, log::v1::RoundDecided& out);
[[nodiscard]] result<model::round_decided> from_wire(const log::v1::RoundDecided& in);

void to_wire(const model::carried_entry& entry, log::v1::CarriedEntry& out);
[[nodiscard]] result<model::carried_entry> from_wire(const log::v1::CarriedEntry& in);

}  // namespace argosy::codec
