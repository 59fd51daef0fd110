// SPDX-License-Identifier: Apache-2.0
// This file declares how the thread of a verb reads a stream of the bus.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "bins/argosyctl/client/client.hpp"
#include "runtime/bus/connection.hpp"

namespace argosy::ctl {

/// The connection must outlive the stream. The answer to the request may take `timeout`.
[[nodiscard]] std::unique_ptr<stream_reader> open_bus_stream(bus::connection& connection,
                                                             const std::string& subject,
                                                             const std::string& request,
                                                             bus::headers headers,
                                                             std::chrono::milliseconds timeout);

}  // namespace argosy::ctl
