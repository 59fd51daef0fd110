// SPDX-License-Identifier: Apache-2.0
#include "runtime/rpc/request_bytes.hpp"

#include <zlib.h>

#include <array>
#include <memory>

#include "runtime/rpc/bytes.hpp"

namespace argosy::rpc {

namespace {

/// Sixteen more than the window's bits asks zlib for the format of gzip.
constexpr int gzip_window = 15 + 16;

bool is_packed(const std::string& bytes) {
  return bytes.size() > 1 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

::grpc::Status too_large(std::size_t size_max) {
  return {::grpc::StatusCode::RESOURCE_EXHAUSTED, "the request is larger than " +
                                                      std::to_string(size_max) +
                                                      " bytes when it is unpacked; divide it"};
}

::grpc::Status unpack(const std::string& packed, std::size_t size_max, std::string& out) {
  const ::grpc::Status damaged{::grpc::StatusCode::INVALID_ARGUMENT,
                               "the request is packed with gzip and cannot be unpacked"};
  z_stream stream{};
  if (inflateInit2(&stream, gzip_window) != Z_OK) return damaged;
  const std::unique_ptr<z_stream, int (*)(z_stream*)> held{&stream, inflateEnd};
  std::string whole = packed;
  stream.next_in = reinterpret_cast<Bytef*>(whole.data());
  stream.avail_in = static_cast<uInt>(whole.size());
  std::array<char, std::size_t{64} << 10> piece{};
  int state = Z_OK;
  while (state == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    state = inflate(&stream, Z_NO_FLUSH);
    const auto made = piece.size() - stream.avail_out;
    if (out.size() + made > size_max) return too_large(size_max);
    out.append(piece.data(), made);
  }
  return state == Z_STREAM_END ? ::grpc::Status::OK : damaged;
}

}  // namespace

::grpc::Status read_request(const ::grpc::ByteBuffer& from, std::size_t size_max,
                            std::string& out) {
  auto bytes = to_text(from);
  out.clear();
  if (is_packed(bytes)) return unpack(bytes, size_max, out);
  out = std::move(bytes);
  return ::grpc::Status::OK;
}

}  // namespace argosy::rpc
