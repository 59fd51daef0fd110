// SPDX-License-Identifier: Apache-2.0
#include "runtime/rest/pack.hpp"

#include <zlib.h>

namespace argosy::rest {

std::string gzip(std::string_view text) {
  // The second number asks for the largest window and for the head of a file of gzip.
  constexpr int window = 15 + 16;
  constexpr int memory = 8;
  z_stream stream{};
  if (::deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, window, memory, Z_DEFAULT_STRATEGY) != Z_OK)
    return {};
  std::string out(::deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const bool whole = ::deflate(&stream, Z_FINISH) == Z_STREAM_END;
  out.resize(whole ? stream.total_out : 0);
  ::deflateEnd(&stream);
  return out;
}

}  // namespace argosy::rest
