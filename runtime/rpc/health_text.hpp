// SPDX-License-Identifier: Apache-2.0
// The messages of grpc.health.v1, which are so small that they are read and written by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/rpc/method.hpp"

namespace argosy::rpc {

enum class health_call : std::uint8_t { check, watch };

/// The largest question.
inline constexpr std::size_t health_request_max = 4'096;

/// Which call of the service has this path; nothing if it is none.
[[nodiscard]] std::optional<health_call> health_path(std::string_view path);
/// The service that is asked about, empty for the whole server; nothing if the bytes are damaged.
[[nodiscard]] std::optional<std::string> health_service(std::string_view question);
/// SERVING, or SERVICE_UNKNOWN.
[[nodiscard]] std::string health_answer(bool serves);
/// Whether the methods have one of the service; the empty name stands for all.
[[nodiscard]] bool has_service(const method_map& methods, std::string_view name);

}  // namespace argosy::rpc
