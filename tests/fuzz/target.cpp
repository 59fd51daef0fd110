// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/target.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace argosy::fuzz {

namespace {

std::vector<target>& known() {
  static std::vector<target> all;
  return all;
}

}  // namespace

std::vector<const target*> targets() {
  std::vector<const target*> out;
  for (const auto& each : known()) out.push_back(&each);
  std::ranges::sort(out, {}, [](const target* each) { return each->name; });
  return out;
}

registered::registered(target what) {
  known().push_back(std::move(what));
}

void require(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

bool refused(const error& why) {
  require(!why.detail.empty(), "a refusal says nothing");
  return false;
}

chosen choose(std::string_view input, std::size_t count) {
  if (input.empty()) return {};
  return {static_cast<unsigned char>(input.front()) % count, input.substr(1)};
}

std::string with_choice(std::size_t which, std::string_view rest) {
  return static_cast<char>(which) + std::string{rest};
}

std::string file_at(const std::string& path) {
  std::ifstream file{std::string{ARGOSY_SOURCE_DIR} + "/" + path, std::ios::binary};
  require(file.is_open(), path + " is not there");
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

std::vector<std::string> files_in(const std::string& folder, std::string_view ending) {
  std::vector<std::string> names;
  const auto place = std::string{ARGOSY_SOURCE_DIR} + "/" + folder;
  if (std::filesystem::exists(place))
    for (const auto& each : std::filesystem::directory_iterator{place})
      if (auto name = each.path().filename().string(); name.ends_with(ending))
        names.push_back(std::move(name));
  std::ranges::sort(names);
  std::vector<std::string> out;
  for (const auto& name : names) out.push_back(file_at(folder + "/" + name));
  return out;
}

}  // namespace argosy::fuzz
