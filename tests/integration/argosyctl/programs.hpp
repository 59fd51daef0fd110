// SPDX-License-Identifier: Apache-2.0
// The real programs in a folder of their own: `argosyd --dev` with its nats-server, and argosyctl
// as a user would call it. Everything ends with the fixture.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace argosy::tests {

struct program_outcome {
  int code = -1;  ///< 128 + signal when killed.
  std::string out;
  std::string err;
};

/// A program that runs beside the test. Killed at the end if it still runs.
class child_process {
 public:
  child_process() = default;
  /// Output goes to the two files.
  child_process(const std::vector<std::string>& words, const std::vector<std::string>& variables,
                const std::filesystem::path& out, const std::filesystem::path& err,
                const std::filesystem::path& in = "/dev/null");
  child_process(child_process&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  child_process& operator=(child_process&& other) noexcept {
    std::swap(pid_, other.pid_);
    return *this;
  }
  ~child_process();

  [[nodiscard]] bool running() const;
  void signal(int number) const;
  /// The exit code; kills it after the limit.
  int wait(std::chrono::seconds limit);

 private:
  mutable pid_t pid_ = -1;
  mutable int status_ = -1;
};

/// Polls until it holds; false after 30 s.
[[nodiscard]] bool eventually(const std::function<bool()>& holds);

[[nodiscard]] std::string content_of(const std::filesystem::path& path);

class programs_fixture : public ::testing::Test {
 protected:
  programs_fixture();
  ~programs_fixture() override;

  /// Starts argosyd and waits until it serves.
  void start_server(const std::vector<std::string>& more = {});
  void stop_server(int signal);

  program_outcome ctl(std::vector<std::string> words, const std::string& input = {});
  /// In the background, with output in `name`.out and `name`.err.
  child_process start_ctl(std::vector<std::string> words, const std::string& name);

  std::string write(const std::string& name, const std::string& text) const;
  /// A file of one job for each command, in queue "a" and job set "s".
  std::string job_file(const std::vector<std::string>& shell_commands) const;

  std::filesystem::path home;
  child_process server;

 private:
  [[nodiscard]] std::vector<std::string> variables() const;
  int calls_ = 0;
};

}  // namespace argosy::tests
