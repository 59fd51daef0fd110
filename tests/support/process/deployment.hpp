// SPDX-License-Identifier: Apache-2.0
// A whole Argosy in a folder of its own: `argosyd --dev`, argosyctl as a user calls it, and agents.
// Everything that was started ends with the object, also what a killed argosyd left behind.
// Used by one thread.
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
  std::string command;  ///< For /bin/sh -c; no single quotes.
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

  /// Starts `argosyd --dev` and waits until it serves. False, with its log in log(), if it ends or
  /// is not ready within 20 s.
  bool start(std::vector<std::string> flags = {});
  /// SIGTERM; the exit code, or nothing if it still runs after 10 s.
  std::optional<int> stop();

  /// argosyctl with these arguments, killed after 60 s.
  [[nodiscard]] outcome ctl(std::vector<std::string> words) const;
  /// argosyctl in the background; its output is in the folder, `name`.out and `name`.err.
  [[nodiscard]] child start_ctl(std::vector<std::string> words, const std::string& name) const;
  /// /bin/sh with this file of commands, in the same environment.
  [[nodiscard]] outcome shell(const std::string& file) const;
  /// Any other program of ours.
  [[nodiscard]] outcome program(std::vector<std::string> words) const;
  [[nodiscard]] child start_program(std::vector<std::string> words, const std::string& name) const;
  /// argosy-agent of the cluster, with a data directory of its own.
  [[nodiscard]] child start_agent(const std::string& cluster,
                                  std::vector<std::string> flags = {}) const;

  /// Writes a file of the folder and returns its path.
  std::string write(const std::string& name, const std::string& text) const;
  [[nodiscard]] static std::string jobs(const std::vector<job_text>& all,
                                        const std::string& job_set = "s");
  /// Submits the jobs to queue "q"; their ids in order, none when it failed.
  [[nodiscard]] std::vector<std::string> submit(const std::vector<job_text>& all,
                                                const std::string& job_set = "s") const;
  /// The JSON of a job without blanks; empty when there is none.
  [[nodiscard]] std::string job(const std::string& id) const;

  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }
  [[nodiscard]] std::filesystem::path data_dir() const { return folder_ / "data"; }
  [[nodiscard]] std::filesystem::path ready_file() const { return folder_ / "ready"; }
  [[nodiscard]] const std::string& url() const noexcept { return url_; }
  [[nodiscard]] const std::string& health_url() const noexcept { return health_url_; }
  [[nodiscard]] std::string log() const { return content_of(folder_ / "argosyd.log"); }
  /// Processes of this deployment with this in their command line, e.g. "argosy-shim".
  [[nodiscard]] std::vector<pid_t> processes(const std::string& named = {}) const;
  /// The same as text, for messages.
  [[nodiscard]] std::string process_list() const;

  child server;

 private:
  [[nodiscard]] launch how(std::vector<std::string> words) const;

  temp_folder temp_;
  std::filesystem::path folder_ = temp_.path();
  std::string url_;
  std::string health_url_;
};

}  // namespace argosy::testing
