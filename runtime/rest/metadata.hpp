// SPDX-License-Identifier: Apache-2.0
// How the metadata of a call stand in the headers of HTTP: by the rule of grpc-gateway, metadata
// `x` are the header `Grpc-Metadata-X`, in requests and in answers.
#pragma once

#include <string>
#include <string_view>

#include "runtime/bus/headers.hpp"

namespace httplib {
struct Request;
struct Response;
}  // namespace httplib

namespace argosy::rest {

/// The other end of the connection, as gRPC names it.
[[nodiscard]] std::string peer_of(const httplib::Request& from);

/// The value of the header `name`, or else of `Grpc-Metadata-NAME`; empty if there is neither.
[[nodiscard]] std::string metadata(const httplib::Request& from, std::string_view name);

/// Takes over what a caller may set himself, such as argosy-mode. Who he is stands in headers of
/// the bus as well, so that no other name is taken.
void read_metadata(const httplib::Request& from, bus::headers& to);

/// Tells what the API says beside an answer, such as argosy-version.
void write_metadata(const bus::headers& from, httplib::Response& to);

}  // namespace argosy::rest
