// SPDX-License-Identifier: Apache-2.0
// This file declares what all codecs share: decoding untrusted bytes, and the small values that
// many messages have. It is private to messages/ and includes protobuf.
#pragma once

#include <google/protobuf/message_lite.h>

#include <optional>
#include <string>
#include <string_view>

#include "messages/proto/argosy/log.pb.h"
#include "runtime/base/result.hpp"
#include "runtime/base/text.hpp"
#include "runtime/base/ulid.hpp"
#include "runtime/model/job.hpp"
#include "runtime/model/node.hpp"

namespace argosy::codec {

/// Decodes into `message`. ec::corrupt with `what` ("log batch") when the bytes are none, nest too
/// deeply (protobuf's limit, 100) or hold invalid UTF-8.
[[nodiscard]] result<void> decode(std::string_view bytes, google::protobuf::MessageLite& message,
                                  std::string_view what);

/// Encodes with map entries sorted by key, so that equal values have equal bytes in every process.
/// What the control plane keeps, in its log or its store, is encoded so.
[[nodiscard]] std::string encode_sorted(const google::protobuf::MessageLite& message);

[[nodiscard]] inline std::string_view to_wire(const ulid& id) {
  return {reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()};
}
/// The id in exactly 16 bytes; ec::corrupt otherwise.
[[nodiscard]] result<ulid> ulid_from_wire(std::string_view bytes);
/// The same, but no bytes stand for the nil id.
[[nodiscard]] result<ulid> optional_ulid_from_wire(std::string_view bytes);

void to_wire(const model::run_key& key, log::v1::RunKey& out);
[[nodiscard]] result<model::run_key> from_wire(const log::v1::RunKey& in);

void to_wire(const model::trace_context& trace, log::v1::TraceContext& out);
[[nodiscard]] result<model::trace_context> from_wire(const log::v1::TraceContext& in);

using term_list = google::protobuf::RepeatedPtrField<log::v1::AffinityTerm>;
void to_wire(const model::affinity_terms& terms, term_list& out);
[[nodiscard]] result<model::affinity_terms> from_wire(const term_list& in);

void to_wire(const model::run_outcome& outcome, log::v1::RunOutcome& out);
[[nodiscard]] model::run_outcome from_wire(const log::v1::RunOutcome& in);
void to_wire(const model::pod_facts& pod, log::v1::PodFacts& out);
[[nodiscard]] model::pod_facts from_wire(const log::v1::PodFacts& in);
void to_wire(const model::run_usage& usage, log::v1::RunUsage& out);
[[nodiscard]] model::run_usage from_wire(const log::v1::RunUsage& in);

using amount_list = google::protobuf::RepeatedPtrField<log::v1::Amount>;
void to_wire(const model::resource_list& amounts, amount_list& out);
/// Amounts sorted by name; ec::corrupt for a negative amount or a name that occurs twice.
[[nodiscard]] result<model::resource_list> from_wire(const amount_list& in);

using string_map = google::protobuf::Map<std::string, std::string>;
void to_wire(const model::label_list& labels, string_map& out);
[[nodiscard]] model::label_list from_wire(const string_map& in);

void to_wire(const model::cluster_info& cluster, log::v1::Cluster& out);
[[nodiscard]] model::cluster_info from_wire(const log::v1::Cluster& in);

void to_wire(const model::node_info& node, log::v1::Node& out);
[[nodiscard]] result<model::node_info> from_wire(const log::v1::Node& in);

/// The enumerator of a number from the wire; ec::corrupt beyond `last`.
template <class Enum>
[[nodiscard]] result<Enum> enum_from_wire(std::uint32_t number, Enum last, std::string_view what) {
  if (number > static_cast<std::uint32_t>(last))
    return fail(ec::corrupt, std::string{what} + " " + std::to_string(number) +
                                 " is unknown: written by a newer version?");
  return static_cast<Enum>(number);
}

/// Refuses records of another format than `known`.
[[nodiscard]] result<void> check_format(std::uint32_t format, std::uint32_t known,
                                        std::string_view what);

}  // namespace argosy::codec
