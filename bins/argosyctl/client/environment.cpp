// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/client/environment.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace argosy::ctl {

namespace {

constexpr std::size_t submission_size_max = 256u << 20;

/// The name of a file has at most so many bytes of the server's URL.
constexpr std::size_t server_name_max = 200;

/// Each server has a file, whose name shows which one it is of to a person who looks.
std::filesystem::path submission_file(const environment& env, std::string_view server) {
  auto name = "last-" + std::string{server.substr(0, server_name_max)};
  for (auto& letter : name)
    if (letter == '/' || std::iscntrl(static_cast<unsigned char>(letter)) != 0) letter = '-';
  return env.state_dir() / "ctl" / name;
}

result<void> write_all(int fd, std::string_view data) {
  while (!data.empty()) {
    const auto count = ::write(fd, data.data(), data.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(ec::internal, std::strerror(errno));
    data.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

}  // namespace

std::filesystem::path environment::home() const {
  if (auto set = variable("HOME")) return *set;
  const auto* user = ::getpwuid(::getuid());
  return user == nullptr ? "/" : user->pw_dir;
}

std::filesystem::path environment::state_dir() const {
  if (auto set = variable("XDG_STATE_HOME")) return std::filesystem::path{*set} / "argosy";
  return home() / ".local" / "state" / "argosy";
}

std::filesystem::path environment::config_dir() const {
  if (auto set = variable("XDG_CONFIG_HOME")) return std::filesystem::path{*set} / "argosy";
  return home() / ".config" / "argosy";
}

environment process_environment() {
  environment out;
  out.variable = [](const std::string& name) -> std::optional<std::string> {
    const auto* value = std::getenv(name.c_str());
    if (value == nullptr || *value == '\0') return std::nullopt;
    return value;
  };
  return out;
}

result<std::string> read_file(const std::filesystem::path& path, std::size_t size_max) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return fail(errno == ENOENT ? ec::not_found : ec::invalid_argument,
                fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
  std::string content;
  std::string chunk(1u << 20, '\0');
  while (true) {
    const auto count = ::read(fd, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    const int failed = count < 0 ? errno : 0;
    if (count > 0) content.append(chunk, 0, static_cast<std::size_t>(count));
    if (count > 0 && content.size() <= size_max) continue;
    ::close(fd);
    if (failed != 0)
      return fail(ec::invalid_argument,
                  fmt::format("cannot read {}: {}", path.string(), std::strerror(failed)));
    if (content.size() > size_max)
      return fail(ec::invalid_argument,
                  fmt::format("{} has more than {} bytes", path.string(), size_max));
    return content;
  }
}

result<void> remember_submission(const environment& env, std::string_view server,
                                 std::string_view id_lines) {
  const auto path = submission_file(env, server);
  std::error_code failed;
  std::filesystem::create_directories(path.parent_path(), failed);
  auto fresh = path;
  fresh += fmt::format(".{}", ::getpid());
  const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return fail(ec::internal, fmt::format("{}: {}", path.string(), std::strerror(errno)));
  auto written = write_all(fd, id_lines);
  ::close(fd);
  if (written) std::filesystem::rename(fresh, path, failed);
  if (!written || failed) {
    std::error_code ignored;
    std::filesystem::remove(fresh, ignored);
    return fail(ec::internal, fmt::format("cannot write {}", path.string()));
  }
  return {};
}

result<std::string> last_submission(const environment& env, std::string_view server) {
  auto content = read_file(submission_file(env, server), submission_size_max);
  if (!content)
    return fail(ec::not_found,
                fmt::format("@last: nothing was submitted from this account to {} yet", server));
  if (content->find_first_not_of('\n') == std::string::npos)
    return fail(ec::not_found, "@last: the last submission had no jobs");
  return content;
}

}  // namespace argosy::ctl
