// SPDX-License-Identifier: Apache-2.0
// This file defines the format that the records of the view share, but for those of the table
// history, which have one of their own. It is private to messages/view.
#pragma once

#include <cstdint>
#include <string_view>

#include "messages/codec/wire.hpp"

namespace argosy::view {

/// The number of the format; a change of meaning takes the next one.
inline constexpr std::uint32_t record_format = 1;

/// The value of records of which only the key says something.
inline constexpr std::string_view no_value = "\x01";

/// Decodes a record and checks its format.
template <class Record>
result<void> read_record(std::string_view value, Record& record, std::string_view what) {
  if (auto ok = codec::decode(value, record, what); !ok) return ok;
  return codec::check_format(record.format(), record_format, what);
}

}  // namespace argosy::view
