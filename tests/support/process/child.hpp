// SPDX-License-Identifier: Apache-2.0
// Programs that a test starts: they run to their end, or beside the test until they are killed. One
// thread uses this.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace argosy::testing {

/// What is known of a program that has ended.
struct outcome {
  int code = -1;  ///< The exit code; 128 + signal if a signal ended the program.
  std::string out;
  std::string err;
  bool timed_out = false;  ///< It was killed, since it had not ended within the limit.
  std::chrono::milliseconds took{0};
};

/// Says how a program is started. Its standard input is empty if no file is named.
struct launch {
  std::vector<std::string> words;        ///< The program and its arguments.
  std::vector<std::string> environment;  ///< NAME=value; nothing is inherited.
  std::filesystem::path in = "/dev/null";
  std::filesystem::path out = "/dev/null";
  std::filesystem::path err = "/dev/null";
};

/// A process that is killed with SIGKILL when the object or the test program ends.
class child {
 public:
  child() = default;
  explicit child(const launch& how);
  child(child&& other) noexcept;
  child& operator=(child&& other) noexcept;
  ~child();

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  [[nodiscard]] bool running();
  void signal(int number);
  /// The exit code (128 + signal); nothing if the process still runs after the limit.
  std::optional<int> wait(std::chrono::milliseconds limit);
  /// Ends the process with SIGKILL and waits for it.
  void kill();

 private:
  pid_t pid_ = -1;  ///< -1 when there is none or it has been waited for.
  int code_ = -1;
};

/// Runs a program to its end, at most for this time. Its output is collected in files of `folder`.
[[nodiscard]] outcome run(launch how, const std::filesystem::path& folder,
                          std::chrono::milliseconds limit);

/// Polls until the condition holds. Returns false when it does not within the limit.
[[nodiscard]] bool eventually(const std::function<bool()>& holds,
                              std::chrono::milliseconds limit = std::chrono::seconds{20});

[[nodiscard]] std::string content_of(const std::filesystem::path& path);
[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);

/// The processes whose arguments, working folder or environment name the folder, without zombies.
[[nodiscard]] std::vector<pid_t> processes_in(const std::filesystem::path& folder);
/// The arguments of a process with blanks between them; empty if it is gone.
[[nodiscard]] std::string command_of(pid_t pid);

}  // namespace argosy::testing
