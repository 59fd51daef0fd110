// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/upkeep/copied_file.hpp"

#include <absl/strings/escaping.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <string_view>
#include <vector>

#include "runtime/backends/run/file.hpp"

namespace argosy::argosyd {

namespace {

using backends::system_error;
using backends::unique_fd;

constexpr std::size_t piece_bytes = 1u << 20;

/// Calls `take` with each piece of the file; it returns false to stop.
template <class Take>
result<void> each_piece(const std::filesystem::path& path, Take take) {
  const unique_fd from{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!from) return fail(system_error("open " + path.string(), errno));
  std::vector<char> piece(piece_bytes);
  while (true) {
    const auto count = ::read(from.get(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(system_error("read " + path.string(), errno));
    if (count == 0 || !take(std::string_view{piece.data(), static_cast<std::size_t>(count)}))
      return {};
  }
}

}  // namespace

result<void> copy_durably(const std::filesystem::path& from, const std::filesystem::path& to) {
  const unique_fd target{::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
  if (!target) return fail(system_error("make " + to.string(), errno));
  result<void> written;
  auto read = each_piece(from, [&](std::string_view piece) {
    written = backends::write_all(target, piece, to);
    return written.has_value();
  });
  if (!read) return read;
  if (written && ::fsync(target.get()) != 0)
    return fail(system_error("write " + to.string(), errno));
  return written;
}

result<backup_file> describe_file(const std::filesystem::path& folder, const std::string& name) {
  backup_file out;
  out.name = name;
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> sum{EVP_MD_CTX_new(),
                                                                    &EVP_MD_CTX_free};
  bool summed = sum && EVP_DigestInit_ex(sum.get(), EVP_sha256(), nullptr) == 1;
  auto read = each_piece(folder / name, [&](std::string_view piece) {
    out.bytes += piece.size();
    summed = summed && EVP_DigestUpdate(sum.get(), piece.data(), piece.size()) == 1;
    return summed;
  });
  if (!read) return fail(read.error());
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned size = 0;
  if (!summed || EVP_DigestFinal_ex(sum.get(), hash.data(), &size) != 1)
    return fail(ec::internal, "OpenSSL does not compute SHA-256");
  out.sha256 =
      absl::BytesToHexString({reinterpret_cast<const char*>(hash.data()), std::size_t{size}});
  return out;
}

}  // namespace argosy::argosyd
