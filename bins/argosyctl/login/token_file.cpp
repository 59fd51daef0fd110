// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/login/token_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "runtime/access/credentials.hpp"

namespace argosy::ctl {

namespace {

using nlohmann::json;

constexpr std::size_t file_size_max = 256u << 10;
constexpr std::size_t name_size_max = 200;

}  // namespace

result<std::filesystem::path> token_file(const environment& env, std::string_view context_name) {
  std::string name;
  for (const unsigned char c : context_name) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '-' || c == '_';
    name += plain ? std::string(1, static_cast<char>(c)) : fmt::format("%{:02X}", c);
  }
  if (name.size() > name_size_max)
    return fail(ec::invalid_argument,
                "the name of the context is too long for a file; choose a shorter one with --name");
  return env.state_dir() / "tokens" / name;
}

result<std::optional<login_token>> read_token(const std::filesystem::path& file,
                                              const context& from) {
  struct stat about {};
  if (::stat(file.c_str(), &about) != 0) return std::optional<login_token>{};
  if ((about.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return fail(ec::denied, fmt::format("'{0}' has a token that others may read; say: chmod 600 "
                                        "{0}",
                                        file.string()));
  const auto text = read_file(file, file_size_max);
  if (!text) return fail(text.error());
  const auto kept = json::parse(*text, nullptr, false);
  const auto word = [&](const char* name) {
    const auto found = kept.is_object() ? kept.find(name) : kept.end();
    return kept.is_object() && found != kept.end() && found->is_string() ? found->get<std::string>()
                                                                         : std::string{};
  };
  const auto moment = [&](const char* name) -> std::int64_t {
    const auto found = kept.is_object() ? kept.find(name) : kept.end();
    return kept.is_object() && found != kept.end() && found->is_number_integer()
               ? found->get<std::int64_t>()
               : 0;
  };
  if (word("issuer") != from.issuer || word("clientId") != from.client_id || word("token").empty())
    return std::optional<login_token>{};
  return std::optional{
      login_token{word("token"), word("refreshToken"), moment("renewAt"), moment("expiresAt")}};
}

result<void> write_token(const std::filesystem::path& file, const context& from,
                         const login_token& token) {
  const json kept{{"issuer", from.issuer},     {"clientId", from.client_id},
                  {"token", token.token},      {"refreshToken", token.refresh},
                  {"renewAt", token.renew_at}, {"expiresAt", token.expires_at}};
  return access::write_private(
      file, kept.dump(-1, ' ', true, json::error_handler_t::replace) + "\n", true);
}

void forget_token(const environment& env, std::string_view context_name) {
  std::error_code ignored;
  if (const auto file = token_file(env, context_name)) {
    std::filesystem::remove(*file, ignored);
    std::filesystem::remove(file->string() + ".lock", ignored);
  }
}

void move_token(const environment& env, std::string_view from, std::string_view to) {
  const auto old_file = token_file(env, from);
  const auto new_file = token_file(env, to);
  std::error_code ignored;
  if (old_file && new_file) std::filesystem::rename(*old_file, *new_file, ignored);
}

token_lock::token_lock(const std::filesystem::path& file)
    : fd_(::open((file.string() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
  if (fd_ >= 0) static_cast<void>(::flock(fd_, LOCK_EX));
}

token_lock::~token_lock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace argosy::ctl
