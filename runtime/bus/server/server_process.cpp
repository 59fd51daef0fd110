// SPDX-License-Identifier: Apache-2.0
#include "runtime/bus/server/server_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>
#include <utility>

#include "runtime/access/server_lines.hpp"
#include "runtime/bus/server/spawn.hpp"

namespace argosy::bus {

namespace {

std::string read_text(const std::filesystem::path& file) {
  std::ifstream source{file};
  return {std::istreambuf_iterator<char>{source}, {}};
}

/// The port in the file that the server writes when it listens; nothing before.
int read_port(const std::filesystem::path& folder, pid_t pid) {
  const auto text = read_text(folder / ("nats-server_" + std::to_string(pid) + ".ports"));
  const auto ports = nlohmann::json::parse(text, nullptr, false);
  if (!ports.is_object() || !ports.contains("nats") || !ports["nats"].is_array()) return 0;
  for (const auto& entry : ports["nats"]) {
    if (!entry.is_string()) continue;
    const auto& url = entry.get_ref<const std::string&>();
    int port = 0;
    const auto* const first = url.data() + url.rfind(':') + 1;
    if (std::from_chars(first, url.data() + url.size(), port).ec == std::errc{}) return port;
  }
  return 0;
}

void remove_old_port_files(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const auto& file : std::filesystem::directory_iterator{folder, ignored}) {
    const auto name = file.path().filename().string();
    if (name.starts_with("nats-server_") && name.ends_with(".ports"))
      std::filesystem::remove(file.path(), ignored);
  }
}

/// The last lines that the server wrote, for a message.
std::string last_words(const std::filesystem::path& folder) {
  auto text = read_text(folder / "nats.out");
  while (text.ends_with('\n')) text.pop_back();
  constexpr std::size_t enough = 600;
  if (text.size() > enough) text = "..." + text.substr(text.size() - enough);
  std::ranges::replace(text, '\n', ' ');
  return text.empty() ? "it said nothing" : text;
}

}  // namespace

result<std::filesystem::path> write_config(const server_config& config) {
  // The configuration's strings are those of JSON.
  const auto quoted = [](const std::string& text) { return nlohmann::json(text).dump(); };
  std::string text = "listen: \"127.0.0.1:" + std::to_string(config.port) + "\"\n";
  text += "max_payload: " + std::to_string(config.max_payload) + "\n";
  text += access::max_pending_line;
  text += "ports_file_dir: " + quoted(config.folder.string()) + "\n";
  if (!config.token.empty()) text += "authorization { token: " + quoted(config.token) + " }\n";
  if (config.jetstream) text += access::store_line(quoted((config.folder / "jetstream").string()));
  text += config.more;

  auto file = config.folder / "nats.conf";
  const auto fresh = config.folder / "nats.conf.new";
  const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const bool written =
      fd >= 0 && ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int why = errno;
  if (fd >= 0) ::close(fd);
  if (!written || ::rename(fresh.c_str(), file.c_str()) != 0)
    return fail(why == ENOSPC ? ec::out_of_space : ec::internal,
                "cannot write '" + file.string() +
                    "': " + std::system_category().message(written ? errno : why));
  return file;
}

result<std::unique_ptr<server_process>> server_process::start(const server_config& config,
                                                              const std::string& program,
                                                              std::chrono::milliseconds limit) {
  const auto found = find_program(program);
  if (!found)
    return fail(ec::not_found, found.error().detail + "; on Debian: apt-get install nats-server");
  const auto file = write_config(config);
  if (!file) return fail(file.error());
  remove_old_port_files(config.folder);
  const auto pid =
      spawn_for_life({found->string(), "-c", file->string()}, config.folder / "nats.out");
  if (!pid) return fail(pid.error());
  std::unique_ptr<server_process> made{new server_process{*pid, 0}};
  const auto until = std::chrono::steady_clock::now() + limit;
  while (made->alive()) {
    made->port_ = read_port(config.folder, *pid);
    if (made->port_ > 0) return made;
    if (std::chrono::steady_clock::now() >= until)
      return fail(ec::unavailable, "nats-server did not listen within " +
                                       std::to_string(limit.count()) +
                                       " ms: " + last_words(config.folder));
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  return fail(ec::unavailable, "nats-server ended at once: " + last_words(config.folder));
}

server_process::~server_process() {
  signal(SIGCONT);
  stop(std::chrono::milliseconds::zero());
}

bool server_process::alive() {
  if (!reaped_ && ::waitpid(pid_, nullptr, WNOHANG) != 0) reaped_ = true;
  return !reaped_;
}

void server_process::signal(int number) {
  if (alive()) ::kill(pid_, number);
}

void server_process::stop(std::chrono::milliseconds limit) {
  if (!alive()) return;
  if (limit > std::chrono::milliseconds::zero()) {
    ::kill(pid_, SIGTERM);
    wait_until_gone(pid_, limit);
  }
  if (!alive()) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  reaped_ = true;
}

}  // namespace argosy::bus
