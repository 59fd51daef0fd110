// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/client/input.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "bins/argosyctl/client/environment.hpp"

namespace argosy::ctl {

result<void> check_input(const std::istream& in) {
  if (!in.bad()) return {};
  return fail(ec::invalid_argument, errno == 0
                                        ? std::string{"cannot read stdin"}
                                        : fmt::format("cannot read stdin: {}", strerror(errno)));
}

result<std::string> read_input(std::istream& in, const std::string& name, std::size_t size_max) {
  if (name != "-") return read_file(name, size_max);
  std::string content;
  std::string chunk(64u << 10, '\0');
  errno = 0;
  while (in && content.size() <= size_max) {
    in.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    content.append(chunk, 0, static_cast<std::size_t>(in.gcount()));
  }
  if (auto whole = check_input(in); !whole) return fail(std::move(whole.error()));
  if (content.size() > size_max)
    return fail(ec::invalid_argument, fmt::format("stdin has more than {} bytes", size_max));
  return content;
}

result<std::string> read_input_line(std::istream& in) {
  std::string line;
  errno = 0;
  std::getline(in, line);
  if (auto whole = check_input(in); !whole) return fail(std::move(whole.error()));
  return line;
}

}  // namespace argosy::ctl
