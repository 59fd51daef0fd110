// SPDX-License-Identifier: Apache-2.0
#include "tests/support/kube/cluster_clock.hpp"

#include <array>
#include <ctime>

namespace argosy::testing {

namespace {

std::string format(std::chrono::sys_seconds when, const char* form) {
  const auto seconds = static_cast<std::time_t>(when.time_since_epoch().count());
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 64> out{};
  const auto size = std::strftime(out.data(), out.size(), form, &parts);
  return {out.data(), size};
}

}  // namespace

std::chrono::sys_seconds cluster_clock::now() const {
  return std::chrono::floor<seconds>(std::chrono::system_clock::now()) + seconds{ahead_.load()};
}

std::string cluster_clock::text() const {
  return format(now(), "%Y-%m-%dT%H:%M:%SZ");
}

std::string cluster_clock::date() const {
  return format(now(), "%a, %d %b %Y %H:%M:%S GMT");
}

}  // namespace argosy::testing
