// SPDX-License-Identifier: Apache-2.0
// A deployment as `argosyd init` makes it, of real processes: a nats-server with accounts and keys,
// argosyd, and agents whose jobs leave traces. Each process can be killed, stopped and started
// again. Leases are short. One thread uses it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/support/process/deployment.hpp"
#include "tests/support/process/free_port.hpp"

namespace argosy::chaos {

struct world_settings {
  std::size_t agents = 2;
  std::string cpu = "4";  ///< The processors that each agent offers.
  /// The port at which argosyd and the first agent look for the server; 0: its own.
  int port_for_argosyd = 0;
  int port_for_first_agent = 0;
  /// The folder for the files of JetStream; empty: one in the folder of the world.
  std::string jetstream_folder{};
  std::string data_folder{};       ///< The folder for argosyd's state; empty: as above.
  std::string more_for_argosyd{};  ///< Further lines of its configuration.
  /// NAME=VALUE, for argosyd and the agents.
  std::vector<std::string> environment{};
  std::string log_bytes{"1GiB"};  ///< The largest size of the log.
  /// The length of leases. The last second of it is the kill grace.
  std::string lease{"2s"};
};

class secured_world {
 public:
  explicit secured_world(world_settings chosen = {});

  /// The settings can be changed until start().
  [[nodiscard]] world_settings& settings() noexcept { return chosen_; }
  /// Makes the configuration and starts all processes. Returns what failed; empty if all serve.
  [[nodiscard]] std::string start();

  // These return at once. A process that runs is not started a second time.
  void start_nats();
  void start_argosyd();
  void start_agent(std::size_t which);

  [[nodiscard]] testing::child& nats() { return nats_; }
  [[nodiscard]] testing::child& argosyd() { return argosyd_; }
  [[nodiscard]] testing::child& agent(std::size_t which) { return agents_.at(which); }
  [[nodiscard]] std::filesystem::path agent_folder(std::size_t which) const {
    return folder() / ("data-" + cluster(which));
  }
  [[nodiscard]] std::filesystem::path data_folder() const {
    if (!chosen_.data_folder.empty()) return chosen_.data_folder;
    return world_.data_dir();
  }
  [[nodiscard]] std::filesystem::path jetstream_folder() const {
    return chosen_.jetstream_folder.empty() ? folder() / "made" / "jetstream"
                                            : std::filesystem::path{chosen_.jetstream_folder};
  }
  /// The shims. What a shim has just forked, and what still has its command line before it becomes
  /// the job's command, is none: whoever kills it kills the job.
  [[nodiscard]] std::vector<pid_t> shims() const;

  /// Whether argosyd has served since it was started last.
  [[nodiscard]] bool ready() const { return std::filesystem::exists(world_.ready_file()); }
  /// The address of the health port of an argosyd that is ready.
  [[nodiscard]] std::string health_url() const;
  /// Returns the launch of argosyctl with these words, by the owner of everything.
  [[nodiscard]] testing::launch ctl_launch(std::vector<std::string> words) const;
  [[nodiscard]] testing::outcome ctl(std::vector<std::string> words) const;

  /// The words of a job's command that writes its traces; `more` is deaf, child,
  /// until=FILE or nothing.
  [[nodiscard]] std::string job_command(std::chrono::milliseconds takes, int exit_code,
                                        const std::string& more = "") const;
  [[nodiscard]] std::filesystem::path traces_folder() const { return folder() / "witness"; }
  [[nodiscard]] const std::filesystem::path& folder() const { return world_.folder(); }
  [[nodiscard]] std::string credentials(const std::string& who) const {
    return (folder() / "made" / "credentials" / who).string();
  }
  [[nodiscard]] std::string url() const { return url_of(port_); }
  [[nodiscard]] int port() const noexcept { return port_; }
  [[nodiscard]] const testing::deployment& deployment() const { return world_; }
  /// The end of a log file of the folder.
  [[nodiscard]] std::string last_of(const std::string& name, std::size_t bytes = 2'000) const;

 private:
  static std::string url_of(int port) { return "nats://127.0.0.1:" + std::to_string(port); }
  [[nodiscard]] std::string cluster(std::size_t which) const {
    return "c" + std::to_string(which + 1);
  }
  [[nodiscard]] std::string make_configuration();
  /// Starts a program of the project in the environment of the settings.
  [[nodiscard]] testing::child start_program(std::vector<std::string> words,
                                             const std::string& name) const;

  world_settings chosen_;
  int port_ = testing::free_port();
  testing::deployment world_;
  testing::child nats_;
  testing::child argosyd_;
  std::vector<testing::child> agents_;
};

}  // namespace argosy::chaos
