// SPDX-License-Identifier: Apache-2.0
// How headers of the API stand in the metadata of a call over gRPC: under their own names.
#pragma once

#include <grpcpp/server_context.h>

#include <string>
#include <string_view>

#include "runtime/bus/headers.hpp"

namespace argosy::rpc {

/// How long a value may be that is told beside an answer. Clients take 8 KiB of metadata in all.
inline constexpr std::size_t metadata_value_max = 2'000;

/// The first value of that name, which is in lower case; empty if there is none.
[[nodiscard]] std::string metadata(const ::grpc::ServerContextBase& from, std::string_view name);

/// What the caller may set himself, such as argosy-mode, and his trace context.
[[nodiscard]] bus::headers read_metadata(const ::grpc::ServerContextBase& from);

/// Tells what the API says beside an answer, such as argosy-version, before the answer.
void write_metadata(const bus::headers& from, ::grpc::ServerContextBase& to);

/// A value as metadata can hold it: what is not printable ASCII is escaped as the headers of the
/// bus escape, "%C3", and what is longer than metadata_value_max is cut off.
[[nodiscard]] std::string as_metadata(std::string_view value);

}  // namespace argosy::rpc
