// SPDX-License-Identifier: Apache-2.0
#include "runtime/bus/server/private_server.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <utility>

#include "runtime/bus/server/spawn.hpp"

namespace argosy::bus {

namespace {

constexpr std::string_view pid_file = "nats.pid";
constexpr std::string_view port_file = "nats.port";

std::string read_line(const std::filesystem::path& file) {
  std::ifstream source{file};
  std::string line;
  std::getline(source, line);
  return line;
}

result<void> write_line(const std::filesystem::path& file, const std::string& text) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const auto line = text + "\n";
  const bool written =
      fd >= 0 && ::write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (fd >= 0) ::close(fd);
  if (written) return {};
  return fail(ec::internal, "cannot write '" + file.string() + "'");
}

int read_number(const std::filesystem::path& file) {
  return std::atoi(read_line(file).c_str());
}

/// Whether the process is a nats-server that runs from our configuration, and not one that got the
/// number of one since.
bool is_ours(pid_t pid, const std::filesystem::path& folder) {
  const auto words = arguments_of(pid);
  return !words.empty() && std::filesystem::path{words.front()}.filename() == "nats-server" &&
         std::ranges::find(words, (folder / "nats.conf").string()) != words.end();
}

result<void> end_survivor(const private_server_settings& settings) {
  const pid_t pid = read_number(settings.folder / pid_file);
  if (pid <= 1 || !is_ours(pid, settings.folder)) return {};
  ::kill(pid, SIGCONT);
  ::kill(pid, SIGTERM);
  if (wait_until_gone(pid, settings.stop_limit)) return {};
  ::kill(pid, SIGKILL);
  if (wait_until_gone(pid, settings.stop_limit)) return {};
  return fail(ec::conflict, "a nats-server of an earlier run, process " + std::to_string(pid) +
                                ", still uses '" + settings.folder.string() + "' and does not end");
}

}  // namespace

result<std::unique_ptr<private_server>> private_server::start(
    const private_server_settings& settings) {
  if (auto ok = end_survivor(settings); !ok) return fail(std::move(ok.error()));
  std::unique_ptr<private_server> made{new private_server{settings}};
  auto& config = made->config_;
  config.folder = settings.folder;
  config.max_payload = settings.max_payload;
  config.more = settings.accounts;
  const auto port = read_number(settings.folder / port_file);
  config.port = port > 0 && port < 65'536 ? port : -1;
  auto launched = made->launch();
  if (!launched && launched.error().code == ec::unavailable && config.port > 0) {
    config.port = -1;
    launched = made->launch();
  }
  if (!launched) return fail(std::move(launched.error()));
  return made;
}

result<void> private_server::launch() {
  auto started = server_process::start(config_, settings_.program, settings_.start_limit);
  if (!started) return fail(std::move(started.error()));
  process_ = std::move(*started);
  config_.port = process_->port();
  if (auto ok = write_line(settings_.folder / port_file, std::to_string(config_.port)); !ok)
    return ok;
  return write_line(settings_.folder / pid_file, std::to_string(process_->pid()));
}

private_server::~private_server() {
  stop();
}

std::string private_server::url() const {
  return "nats://127.0.0.1:" + std::to_string(config_.port);
}

pid_t private_server::pid() const noexcept {
  return process_->pid();
}

bool private_server::alive() {
  return process_ && process_->alive();
}

result<void> private_server::ensure_running() {
  if (alive()) return {};
  process_.reset();
  return launch();
}

void private_server::stop() {
  if (process_) process_->stop(settings_.stop_limit);
}

}  // namespace argosy::bus
