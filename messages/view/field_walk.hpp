// SPDX-License-Identifier: Apache-2.0
// A field_walk reads single fields of an encoded message without decoding the rest. Its texts refer
// to the bytes. It is private to messages/view.
#pragma once

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <cstdint>
#include <string_view>

namespace argosy::view {

/// The functions that read return false when the bytes are no message.
class field_walk {
 public:
  explicit field_walk(std::string_view bytes)
      : bytes_(bytes),
        in_(reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<int>(bytes.size())) {}

  /// Moves to the next field; 0 at the end and where no field begins.
  [[nodiscard]] int next() {
    tag_ = in_.ReadTag();
    return wire::GetTagFieldNumber(tag_);
  }
  [[nodiscard]] bool at_end() { return in_.ConsumedEntireMessage(); }
  [[nodiscard]] bool skip() { return wire::SkipField(&in_, tag_); }
  [[nodiscard]] bool read(std::uint32_t& out) {
    return has(wire::WIRETYPE_VARINT) && in_.ReadVarint32(&out);
  }
  /// A number of type int64, int32 or bool.
  [[nodiscard]] bool read_varint(std::int64_t& out) {
    std::uint64_t bits = 0;
    if (!has(wire::WIRETYPE_VARINT) || !in_.ReadVarint64(&bits)) return false;
    out = static_cast<std::int64_t>(bits);
    return true;
  }
  /// A number of type sfixed64.
  [[nodiscard]] bool read(std::int64_t& out) {
    std::uint64_t bits = 0;
    if (!has(wire::WIRETYPE_FIXED64) || !in_.ReadLittleEndian64(&bits)) return false;
    out = static_cast<std::int64_t>(bits);
    return true;
  }
  [[nodiscard]] bool read(std::string_view& out) {
    std::uint32_t size = 0;
    if (!has(wire::WIRETYPE_LENGTH_DELIMITED) || !in_.ReadVarint32(&size)) return false;
    const auto at = static_cast<std::size_t>(in_.CurrentPosition());
    if (size > bytes_.size() - at) return false;
    out = bytes_.substr(at, size);
    return in_.Skip(static_cast<int>(size));
  }

 private:
  using wire = google::protobuf::internal::WireFormatLite;

  [[nodiscard]] bool has(wire::WireType type) const { return wire::GetTagWireType(tag_) == type; }

  std::string_view bytes_;
  google::protobuf::io::CodedInputStream in_;
  std::uint32_t tag_ = 0;
};

}  // namespace argosy::view
