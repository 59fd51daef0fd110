// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/oncall/tar_gz.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

namespace argosy::ctl {

namespace {

constexpr std::size_t block = 512;

/// A number in octal digits with leading zeros, which fills the field but for its last byte.
void put_octal(std::array<char, block>& header, std::size_t at, std::size_t size,
               std::uint64_t value) {
  for (std::size_t i = size - 1; i-- > 0; value >>= 3)
    header[at + i] = static_cast<char>('0' + (value & 7));
}

std::array<char, block> header_of(const archived_file& file, std::int64_t unix_seconds) {
  std::array<char, block> out{};
  file.path.copy(out.data(), 99);
  put_octal(out, 100, 8, 0600);
  put_octal(out, 108, 8, 0);
  put_octal(out, 116, 8, 0);
  put_octal(out, 124, 12, file.content.size());
  put_octal(out, 136, 12, static_cast<std::uint64_t>(std::max<std::int64_t>(unix_seconds, 0)));
  std::memset(out.data() + 148, ' ', 8);
  out[156] = '0';
  std::memcpy(out.data() + 257, "ustar\00000", 8);
  std::uint64_t sum = 0;
  for (const char c : out) sum += static_cast<unsigned char>(c);
  put_octal(out, 148, 7, sum);
  out[154] = '\0';
  return out;
}

void pad(std::string& bytes) {
  bytes.resize((bytes.size() + block - 1) / block * block, '\0');
}

}  // namespace

std::string tar_of(const std::vector<archived_file>& files, std::int64_t unix_seconds) {
  std::string out;
  for (const auto& file : files) {
    const auto header = header_of(file, unix_seconds);
    out.append(header.data(), header.size());
    out += file.content;
    pad(out);
  }
  // Two empty blocks end an archive.
  out.append(2 * block, '\0');
  return out;
}

result<std::string> gzip(std::string_view bytes) {
  constexpr int gzip_format = 15 + 16;
  constexpr int memory_default = 8;
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_format, memory_default,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    return fail(ec::internal, "zlib has no memory");
  std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const auto done = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (done != Z_STREAM_END) return fail(ec::internal, "zlib does not compress this");
  return out;
}

}  // namespace argosy::ctl
