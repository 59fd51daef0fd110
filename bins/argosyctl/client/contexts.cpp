// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/client/contexts.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <utility>

#include "bins/argosyctl/output/json.hpp"
#include "runtime/access/credentials.hpp"
#include "runtime/access/tokens/fetch.hpp"
#include "runtime/base/suggest.hpp"
#include "runtime/settings/yaml/parse.hpp"

namespace argosy::ctl {

namespace {

constexpr std::size_t contexts_size_max = 1u << 20;
constexpr std::size_t text_size_max = 4'096;

struct context_key {
  const char* name;
  std::string context::*field;
};

constexpr std::array<context_key, 13> context_keys{{{"server", &context::server},
                                                    {"user", &context::user},
                                                    {"password", &context::password},
                                                    {"token", &context::token},
                                                    {"credentials", &context::credentials},
                                                    {"grpc", &context::grpc},
                                                    {"caFile", &context::ca_file},
                                                    {"certificateFile", &context::certificate},
                                                    {"keyFile", &context::key},
                                                    {"oidcIssuer", &context::issuer},
                                                    {"oidcClientId", &context::client_id},
                                                    {"oidcScopes", &context::scopes},
                                                    {"oidcCaFile", &context::issuer_ca}}};

failure unknown_key(const yaml::node& key, std::vector<std::string> known) {
  const std::string name{key.text()};
  return yaml::fail_at(key, fmt::format("there is no key '{}'{}", name, did_you_mean(name, known)));
}

result<std::string> text_at(const yaml::node& value, std::string_view what) {
  if (value.is_scalar()) return std::string{value.is_null() ? std::string_view{} : value.text()};
  return yaml::fail_at(value, fmt::format("{} must be a text", what));
}

result<context> read_context(const yaml::node& name, const yaml::node& from) {
  context out;
  out.name = name.text();
  if (!from.is_mapping())
    return yaml::fail_at(from,
                         fmt::format("the context '{}' must be a mapping with server:", out.name));
  for (const auto& [key, value] : from.entries()) {
    const auto* const known = std::ranges::find_if(
        context_keys, [&, text = key.text()](const auto& one) { return text == one.name; });
    if (known == context_keys.end()) {
      std::vector<std::string> names;
      for (const auto& one : context_keys) names.emplace_back(one.name);
      return unknown_key(key, std::move(names));
    }
    auto text = text_at(value, known->name);
    if (!text) return fail(std::move(text.error()));
    out.*(known->field) = std::move(*text);
  }
  if (auto valid = validate(out); !valid) return yaml::fail_at(name, valid.error().detail);
  return out;
}

/// Signs that end a part of a URL, or a URL of a list, and cannot be written there otherwise.
bool fits_url(std::string_view text) {
  return std::ranges::none_of(text, [](unsigned char c) {
    return c <= ' ' || c == 0x7f || c == ',' || c == '/' || c == '?' || c == '#';
  });
}

}  // namespace

std::string_view kind_of(const context& one) {
  if (!one.issuer.empty()) return "oidc";
  if (!one.user.empty()) return "password";
  if (!one.token.empty()) return "token";
  if (!one.credentials.empty()) return "credentials";
  if (one.server.find('@') != std::string::npos) return "url";
  return one.certificate.empty() ? "none" : "certificate";
}

bool has_secret(const context& one) {
  return !one.password.empty() || !one.token.empty() || one.server.find('@') != std::string::npos ||
         one.grpc.find('@') != std::string::npos;
}

std::string url_of(const context& one) {
  const auto& server = one.server;
  const auto who =
      one.token.empty() ? one.user + (one.password.empty() ? "" : ":" + one.password) : one.token;
  if (who.empty()) return server;
  const auto scheme = server.find("://");
  if (scheme == std::string::npos) return "nats://" + who + "@" + server;
  return server.substr(0, scheme + 3) + who + "@" + server.substr(scheme + 3);
}

const context* context_list::find(std::string_view name) const {
  const auto at = std::ranges::find(contexts, name, &context::name);
  return at == contexts.end() ? nullptr : &*at;
}

context* context_list::find(std::string_view name) {
  return const_cast<context*>(std::as_const(*this).find(name));
}

context context_of(std::string name, const std::function<std::string(const char* key)>& text) {
  context out;
  for (const auto& [key, field] : context_keys) out.*field = text(key);
  out.name = std::move(name);
  return out;
}

result<void> validate(const context& one) {
  const auto wrong = [&](const std::string& text) {
    return fail(ec::invalid_argument, fmt::format("context '{}': {}", one.name, text));
  };
  if (one.name.empty() || one.name.size() > text_size_max)
    return fail(ec::invalid_argument, "a context needs a name");
  for (const auto& [name, field] : context_keys) {
    const auto& text = one.*field;
    if (text.size() > text_size_max ||
        std::ranges::any_of(text, [](unsigned char c) { return c < ' ' || c == 0x7f; }))
      return wrong(fmt::format("{} is too long or has control characters", name));
  }
  if (one.server.empty()) return wrong("server is missing, such as nats://HOST:PORT");
  if (!one.grpc.empty() && !one.grpc.starts_with("grpc://") && !one.grpc.starts_with("grpcs://"))
    return wrong("grpc must be grpc://HOST:PORT, or grpcs://HOST:PORT with TLS");
  const int kinds =
      (one.user.empty() ? 0 : 1) + (one.token.empty() ? 0 : 1) + (one.credentials.empty() ? 0 : 1);
  if (kinds > 1) return wrong("it may have one of user, token and credentials");
  if (!one.password.empty() && one.user.empty()) return wrong("a password needs a user");
  if (one.user.find_first_of(":@") != std::string::npos) return wrong("user has a ':' or '@'");
  if (!fits_url(one.user) || !fits_url(one.password) || !fits_url(one.token))
    return wrong("NATS cannot take a user, password or token with blanks or one of , / ? #");
  if (one.certificate.empty() != one.key.empty())
    return wrong("certificateFile and keyFile belong together");
  if (one.issuer.empty() != one.client_id.empty())
    return wrong("oidcIssuer and oidcClientId belong together");
  if (one.issuer.empty() && !(one.scopes.empty() && one.issuer_ca.empty()))
    return wrong("oidcScopes and oidcCaFile need an oidcIssuer");
  if (!one.issuer.empty() && !access::is_safe_url(one.issuer))
    return wrong("oidcIssuer must be an https URL, or an http URL on a loopback address");
  const bool named = !one.user.empty() || !one.token.empty();
  if (named && one.server.find_first_of("@,") != std::string::npos)
    return wrong("with a user or token the server must be one URL that has neither in it");
  return {};
}

std::string without_secret(std::string_view url) {
  std::string out;
  while (!url.empty()) {
    const auto end = std::min(url.find(','), url.size());
    auto one = url.substr(0, end);
    const auto scheme = one.find("://");
    const auto begin = scheme == std::string_view::npos ? 0 : scheme + 3;
    if (const auto at = one.rfind('@'); at != std::string_view::npos && at >= begin)
      out.append(one.substr(0, begin)).append("REDACTED").append(one.substr(at));
    else
      out.append(one);
    url.remove_prefix(end);
    if (url.empty()) break;
    out += ',';
    url.remove_prefix(1);
  }
  return out;
}

std::string beside(const std::filesystem::path& file, const std::string& credentials) {
  return credentials.empty() ? std::string{} : (file.parent_path() / credentials).string();
}

std::filesystem::path contexts_file(const environment& env) {
  return env.config_dir() / "config.yaml";
}

result<context_list> parse_contexts(std::string_view text, const std::string& file) {
  const auto document = yaml::parse(text, file, {.bytes_max = contexts_size_max});
  if (!document) return fail(document.error());
  context_list out;
  const auto root = document->root();
  if (root.is_null()) return out;
  if (!root.is_mapping()) return yaml::fail_at(root, "expected currentContext: and contexts:");
  for (const auto& [key, value] : root.entries()) {
    if (key.text() == "currentContext") {
      auto current = text_at(value, "currentContext");
      if (!current) return fail(std::move(current.error()));
      out.current = std::move(*current);
    } else if (key.text() == "contexts") {
      if (!value.is_mapping() && !value.is_null())
        return yaml::fail_at(value, "contexts must be a mapping of names");
      for (const auto& [name, entry] : value.entries()) {
        auto one = read_context(name, entry);
        if (!one) return fail(std::move(one.error()));
        out.contexts.push_back(std::move(*one));
      }
    } else {
      return unknown_key(key, {"currentContext", "contexts"});
    }
  }
  return out;
}

std::string print_contexts(const context_list& all) {
  std::string out;
  if (!all.current.empty()) out += "currentContext: " + json_string(all.current) + "\n";
  out += all.contexts.empty() ? "contexts: {}\n" : "contexts:\n";
  for (const auto& one : all.contexts) {
    out += "  " + json_string(one.name) + ":\n";
    for (const auto& [name, field] : context_keys)
      if (!(one.*field).empty()) out += fmt::format("    {}: {}\n", name, json_string(one.*field));
  }
  return out;
}

result<context_list> read_contexts(const std::filesystem::path& file) {
  const auto text = read_file(file, contexts_size_max);
  if (!text && text.error().code == ec::not_found) return context_list{};
  if (!text) return fail(text.error());
  auto all = parse_contexts(*text, file.string());
  if (!all) return all;
  for (auto& one : all->contexts) one.credentials = beside(file, one.credentials);
  return all;
}

result<void> write_contexts(const std::filesystem::path& file, const context_list& all) {
  return access::write_private(file, print_contexts(all), true);
}

std::string mode_warning(const std::filesystem::path& file) {
  struct stat about {};
  if (::stat(file.c_str(), &about) != 0 || (about.st_mode & (S_IRWXG | S_IRWXO)) == 0) return {};
  return fmt::format(
      "{0} has secrets and mode {1:04o}, so that others may read them; say: chmod "
      "600 {0}",
      file.string(), static_cast<unsigned>(about.st_mode & 07777));
}

}  // namespace argosy::ctl
