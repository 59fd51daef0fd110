// SPDX-License-Identifier: Apache-2.0
// A whole Argosy in a folder of its own: `argosyd --dev`, argosyctl as a user calls it, and agents.
// Everything that was started ends with the object, also what a killed argosyd left behind. One
// thread uses it.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/process/child.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::testing {

/// One job of a file.
struct job_text {
  std::string command;  ///< The command for /bin/sh -c; it must not have single quotes.
  std::string pod{};    ///< More lines of the pod spec: "key: value", separated by newlines.
  std::string item{};   ///< More lines of the item.
  std::string cpu{"10m"};
};

class deployment {
 public:
  deployment() = default;
  ~deployment();
  deployment(const deployment&) = delete;
  deployment& operator=(const deployment&) = delete;

  /// Starts `argosyd --dev` and waits until it serves. Returns false if it ends or is not ready
  /// within 20 s; its log is then in log().
  bool start(std::vector<std::string> flags = {});
  bool with_images = false;                     ///< Set before start(): pods run from their images.
  std::vector<std::string> more_environment{};  ///< NAME=value, for all programs.
  /// Sends SIGTERM. Returns the exit code, or nothing if argosyd still runs after 10 s.
  std::optional<int> stop();

  /// Runs argosyctl with these arguments; it is killed after 60 s.
  [[nodiscard]] outcome ctl(std::vector<std::string> words) const;
  /// Starts argosyctl in the background; its output goes to the folder, to `name`.out and
  /// `name`.err.
  [[nodiscard]] child start_ctl(std::vector<std::string> words, const std::string& name) const;
  /// Starts argosyctl in the background on this terminal.
  [[nodiscard]] child start_ctl_on(const std::filesystem::path& terminal,
                                   std::vector<std::string> words) const;
  /// Runs /bin/sh with this file of commands, in the same environment.
  [[nodiscard]] outcome shell(const std::string& file) const;
  /// Runs any other program of the project.
  [[nodiscard]] outcome program(std::vector<std::string> words) const;
  [[nodiscard]] child start_program(std::vector<std::string> words, const std::string& name) const;
  /// Starts argosy-agent for the cluster, with a data directory of its own.
  [[nodiscard]] child start_agent(const std::string& cluster,
                                  std::vector<std::string> flags = {}) const;

  /// Writes a file of the folder and returns its path.
  std::string write(const std::string& name, const std::string& text) const;
  [[nodiscard]] static std::string jobs(const std::vector<job_text>& all,
                                        const std::string& job_set = "s");
  /// Submits the jobs to queue "q". Returns their ids in order; none when it failed.
  [[nodiscard]] std::vector<std::string> submit(const std::vector<job_text>& all,
                                                const std::string& job_set = "s") const;
  /// The JSON of a job, without blanks; empty when there is no such job.
  [[nodiscard]] std::string job(const std::string& id) const;

  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }
  [[nodiscard]] std::filesystem::path data_dir() const { return folder_ / "data"; }
  [[nodiscard]] std::filesystem::path ready_file() const { return folder_ / "ready"; }
  [[nodiscard]] const std::string& url() const noexcept { return url_; }
  [[nodiscard]] const std::string& health_url() const noexcept { return health_url_; }
  [[nodiscard]] std::string log() const { return content_of(folder_ / "argosyd.log"); }
  /// The processes of this deployment that have this text in their command line, e.g.
  /// "argosy-shim".
  [[nodiscard]] std::vector<pid_t> processes(const std::string& named = {}) const;
  /// The same processes as text, for messages.
  [[nodiscard]] std::string process_list() const;

  child server;
  std::string server_program = "argosyd";  ///< The program that start() starts.

 private:
  [[nodiscard]] launch how(std::vector<std::string> words) const;

  temp_folder temp_;
  std::filesystem::path folder_ = temp_.path();
  std::string url_;
  std::string health_url_;
};

}  // namespace argosy::testing
