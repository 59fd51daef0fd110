// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/packed_output.hpp"

#include <zstd.h>

#include "runtime/model/agent.hpp"

namespace argosy::codec {

namespace {

/// A few lines are not worth the work.
constexpr std::size_t packed_from = 16 * 1024;
/// The fastest that is not one of zstd's own fast modes: some 400 MB/s of text.
constexpr int level = 1;

}  // namespace

std::optional<std::string> pack_output(std::string_view data) {
  if (data.size() < packed_from) return std::nullopt;
  std::string out(ZSTD_compressBound(data.size()), '\0');
  const auto size = ZSTD_compress(out.data(), out.size(), data.data(), data.size(), level);
  if (ZSTD_isError(size) != 0 || size > data.size() / 4 * 3) return std::nullopt;
  out.resize(size);
  return out;
}

result<std::string> unpack_output(std::string_view packed) {
  const auto size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  // Its errors are the largest numbers.
  if (size > model::log_chunk_bytes_max)
    return fail(ec::corrupt, "the output in the answer is no frame of at most " +
                                 std::to_string(model::log_chunk_bytes_max) + " bytes");
  std::string out(size, '\0');
  const auto got = ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) != 0 || got != size)
    return fail(ec::corrupt, std::string{"the output in the answer cannot be unpacked: "} +
                                 (ZSTD_isError(got) != 0 ? ZSTD_getErrorName(got) : "it is short"));
  return out;
}

}  // namespace argosy::codec
