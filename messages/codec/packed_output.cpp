// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/packed_output.hpp"

#include <zstd.h>

#include <utility>

namespace argosy::codec {

namespace {

/// A few lines are not worth the work.
constexpr std::size_t packed_from = 16 * 1024;
/// The fastest that is not one of zstd's own fast modes: some 400 MB/s of text.
constexpr int level = 1;

}  // namespace

void pack(model::log_chunk& chunk) {
  const auto& data = chunk.data;
  if (chunk.packed || data.size() < packed_from) return;
  std::string packed(ZSTD_compressBound(data.size()), '\0');
  const auto size = ZSTD_compress(packed.data(), packed.size(), data.data(), data.size(), level);
  if (ZSTD_isError(size) != 0 || size > data.size() / 4 * 3) return;
  packed.resize(size);
  chunk.data = std::move(packed);
  chunk.packed = true;
}

result<std::string> unpack_output(std::string_view packed) {
  const auto size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  // Its errors are the largest numbers.
  if (size > output_bytes_max)
    return fail(ec::corrupt, "the output in the answer is no frame of at most " +
                                 std::to_string(output_bytes_max) + " bytes");
  std::string out(size, '\0');
  const auto got = ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) != 0 || got != size)
    return fail(ec::corrupt, std::string{"the output in the answer cannot be unpacked: "} +
                                 (ZSTD_isError(got) != 0 ? ZSTD_getErrorName(got) : "it is short"));
  return out;
}

}  // namespace argosy::codec
