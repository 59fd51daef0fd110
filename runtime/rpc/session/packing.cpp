// SPDX-License-Identifier: Apache-2.0
#include "runtime/rpc/session/packing.hpp"

#include <zlib.h>

#include <array>
#include <cstdint>
#include <memory>
#include <ranges>

namespace argosy::rpc {

namespace {

/// Sixteen more than the window's bits asks zlib for the format of gzip.
constexpr int gzip_window = 15 + 16;
constexpr int memory_level = 8;  // zlib's own default.

/// Messages below this size gain nothing.
constexpr std::size_t pack_from = 1'024;

/// The beginning of a longer one tells whether the rest is worth the time.
constexpr std::size_t sample_bytes = std::size_t{32} << 10;

z_stream reading(std::string_view bytes) {
  z_stream out{};
  // zlib takes a pointer that is not const, and reads only.
  out.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  out.avail_in = static_cast<uInt>(bytes.size());
  return out;
}

using held_stream = std::unique_ptr<z_stream, int (*)(z_stream*)>;

}  // namespace

status too_large(std::size_t size_max) {
  return {status_code::resource_exhausted, "the request is larger than " +
                                               std::to_string(size_max) +
                                               " bytes when it is unpacked; divide it"};
}

status too_much_waits() {
  return {status_code::resource_exhausted,
          "too many bytes of requests and answers wait on this server; try again"};
}

std::size_t unpacked_size(std::string_view packed) noexcept {
  std::uint32_t out = 0;
  if (packed.size() < sizeof out) return 0;
  for (const auto byte : packed.substr(packed.size() - sizeof out) | std::views::reverse)
    out = out << 8 | static_cast<unsigned char>(byte);
  return out;
}

status unpack(std::string_view packed, std::size_t size_max, std::string& out) {
  const auto size = unpacked_size(packed);
  if (size > size_max) return too_large(size_max);
  const status damaged{status_code::invalid_argument,
                       "the request is packed with gzip and cannot be unpacked"};
  out.clear();
  // Without doubling the room, since many callers may send a little more than half of it.
  out.reserve(size);
  auto stream = reading(packed);
  if (inflateInit2(&stream, gzip_window) != Z_OK) return damaged;
  const held_stream held{&stream, inflateEnd};
  std::array<char, std::size_t{64} << 10> piece{};
  int state = Z_OK;
  while (state == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    state = inflate(&stream, Z_NO_FLUSH);
    const auto made = piece.size() - stream.avail_out;
    if (out.size() + made > size) return damaged;
    out.append(piece.data(), made);
  }
  return state == Z_STREAM_END ? status{} : damaged;
}

std::optional<std::string> pack(std::string_view bytes) {
  if (bytes.size() < pack_from) return std::nullopt;
  if (bytes.size() > 2 * sample_bytes && !pack(bytes.substr(0, sample_bytes))) return std::nullopt;
  auto stream = reading(bytes);
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, gzip_window, memory_level,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    return std::nullopt;
  const held_stream held{&stream, deflateEnd};
  std::string out(bytes.size() - 1, '\0');
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) return std::nullopt;
  out.resize(out.size() - stream.avail_out);
  return out;
}

}  // namespace argosy::rpc
