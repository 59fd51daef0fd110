// SPDX-License-Identifier: Apache-2.0
// This file declares how requests of callers are decoded. A few bytes of a message may stand for an
// object of some hundred bytes: 4 MB of them took gigabytes. So it is counted first what the
// objects of a large request would take.
#pragma once

#include <cstddef>
#include <string_view>

#include "runtime/base/result.hpp"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace argosy::codec {

/// A request may take so much memory when it is decoded. Those of 1,000 jobs take about a tenth of
/// it.
inline constexpr std::size_t request_memory_max = std::size_t{48} << 20;

/// Estimates how many bytes of memory a message of this type takes that is decoded from the bytes;
/// counting ends soon after `enough`. Bytes that do not decode weigh what stands before the fault.
[[nodiscard]] std::size_t weight_of(std::string_view bytes, const google::protobuf::Message& type,
                                    std::size_t enough);

/// Whether the bytes take more than so much; few bytes never do.
[[nodiscard]] bool is_heavier(std::string_view bytes, const google::protobuf::Message& type,
                              std::size_t most);

/// Fails with ec::invalid_argument if a request takes more than request_memory_max.
[[nodiscard]] result<void> check_weight(std::string_view bytes,
                                        const google::protobuf::Message& type);

/// Decodes a request. Fails with ec::invalid_argument if the bytes are none of this type or would
/// take more than request_memory_max.
[[nodiscard]] result<void> read_request(std::string_view bytes, google::protobuf::Message& into);

}  // namespace argosy::codec
