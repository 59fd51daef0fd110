// SPDX-License-Identifier: Apache-2.0
// The outputs of pods of an API server in memory, and who follows them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "runtime/kube/api.hpp"
#include "tests/support/kube/kube_request.hpp"
#include "tests/support/kube/pod_log.hpp"

namespace argosy::backends {

class fake_logs {
 public:
  using key = std::pair<std::string, std::string>;  ///< Namespace and name.

  struct reading final : kube::watch {
    reading(fake_logs& owner, kube::body_reader& to, std::string path)
        : owner(owner), to(to), path(std::move(path)) {}
    ~reading() override { std::erase(owner.readings, this); }

    fake_logs& owner;
    kube::body_reader& to;
    std::string path;
    std::uint64_t lines = 0;
  };

  static key log_place_of(const std::string& path) {
    const auto at = argosy::testing::place_of(path.substr(0, path.find('?')));
    return {at.name_space, at.name};
  }

  /// Each line is a second later than the one before.
  argosy::testing::pod_log log_of(const key& at) const {
    argosy::testing::pod_log out;
    const auto found = output.find(at);
    if (found == output.end()) return out;
    auto time_ns = first_line_ns;
    std::istringstream text{found->second};
    std::size_t count = 0;
    for (std::string line; std::getline(text, line); time_ns += 1'000'000'000) {
      out.print(text.eof() ? line : line + "\n", time_ns);
      const auto gone = rotated.find(at);
      if (gone != rotated.end() && ++count == gone->second) out.rotate();
    }
    return out;
  }

  static argosy::testing::pod_log::query query_of(const std::string& path) {
    argosy::testing::pod_log::query out;
    std::istringstream text{path.substr(path.find('?') + 1)};
    for (std::string one; std::getline(text, one, '&');)
      out[one.substr(0, one.find('='))] = one.substr(one.find('=') + 1);
    return out;
  }

  static kube::answer problem(int status, const std::string& message) {
    const nlohmann::json body{{"kind", "Status"}, {"message", message}, {"code", status}};
    return {status, body.dump()};
  }

  kube::answer log_answer(const std::string& path) const {
    if (log_trouble) return problem(log_trouble->first, log_trouble->second);
    return {200, log_of(log_place_of(path)).read(query_of(path))};
  }

  /// Tells the answer, and further on what a container prints that `runs`, if that is asked for.
  std::unique_ptr<kube::watch> tell_log(const std::string& path, result<kube::answer> answer,
                                        bool runs, kube::body_reader& to) {
    auto one = std::make_unique<reading>(*this, to, path);
    if (!answer || !answer->ok()) {
      to.ended(std::move(answer));
      return one;
    }
    if (!answer->body.empty() && !to.came(answer->body)) return one;
    if (runs && (answers_are_slow || path.find("&follow=true") != std::string::npos)) {
      one->lines = log_of(log_place_of(path)).lines();
      readings.push_back(one.get());
    } else {
      to.ended(kube::answer{200});
    }
    return one;
  }

  /// The container prints, which its readers are told.
  void print(const key& at, const std::string& text) {
    output[at] += text;
    const auto log = log_of(at);
    for (auto* const each : std::vector<reading*>{readings})
      if (log_place_of(each->path) == at)
        if (!each->to.came(log.read_on(each->lines, true))) std::erase(readings, each);
  }
  /// The answers to those who read it are over.
  void end_readings(const key& at) {
    for (auto* const each : std::vector<reading*>{readings})
      if (log_place_of(each->path) == at) {
        std::erase(readings, each);
        each->to.ended(kube::answer{200});
      }
  }

  static constexpr std::int64_t first_line_ns = 1'795'000'000'000'000'000;
  std::map<key, std::string> output;
  std::map<key, std::size_t> rotated;                      ///< So many lines of it are gone.
  std::optional<std::pair<int, std::string>> log_trouble;  ///< What is answered instead of output.
  bool answers_are_slow = false;                           ///< They end by end_readings() alone.
  std::vector<reading*> readings;                          ///< Those that are told more.
};

}  // namespace argosy::backends
