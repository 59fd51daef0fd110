// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/program.hpp"

#include <charconv>
#include <cstdint>
#include <fstream>
#include <system_error>

namespace argosy {

namespace {

const std::filesystem::path executable{"/proc/self/exe"};

/// How many words the loader and its options are. The wrappers of the tarball give it one option
/// and its value.
std::size_t loader_words(const std::vector<std::string>& words) {
  if (words.empty() || !std::filesystem::path{words.front()}.filename().string().starts_with("ld-"))
    return 0;
  std::size_t out = 1;
  while (out + 1 < words.size() && words[out].starts_with("--")) out += 2;
  return out < words.size() && !words[out].starts_with("--") ? out : 0;
}

std::vector<std::string> own_words() {
  std::ifstream source{"/proc/self/cmdline"};
  std::vector<std::string> out;
  for (std::string word; std::getline(source, word, '\0');) out.push_back(word);
  return out;
}

}  // namespace

std::filesystem::path own_program() {
  std::ifstream maps{"/proc/self/maps"};
  const auto here = reinterpret_cast<std::uintptr_t>(&own_program);
  for (std::string line; std::getline(maps, line);) {
    // "BEGIN-END RIGHTS OFFSET DEVICE INODE   PATH"
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    const auto* const last = line.data() + line.size();
    const auto dash = std::from_chars(line.data(), last, begin, 16);
    if (dash.ec != std::errc{} || dash.ptr == last) continue;
    std::from_chars(dash.ptr + 1, last, end, 16);
    const auto slash = line.find('/');
    if (begin <= here && here < end && slash != std::string::npos) return line.substr(slash);
  }
  std::error_code failed;
  return std::filesystem::read_symlink(executable, failed);
}

std::vector<std::string> own_command() {
  auto words = own_words();
  const auto loader = loader_words(words);
  // By that name it is the same program even if another one has taken its place on disk.
  if (loader == 0) return {executable};
  words.resize(loader);
  std::error_code failed;
  words.front() = std::filesystem::read_symlink(executable, failed);
  words.push_back(own_program());
  return words;
}

std::vector<std::string> without_loader(std::vector<std::string> words) {
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(loader_words(words)));
  return words;
}

}  // namespace argosy
