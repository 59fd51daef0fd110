// SPDX-License-Identifier: Apache-2.0
// The contexts of argosyctl's configuration file: servers by name, each with what proves to it who
// the user is. The file is read as a whole, changed in memory and written back at once.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bins/argosyctl/client/environment.hpp"

namespace argosy::ctl {

/// A server and how to log in to it. Empty texts are not set. At most one of the user, the token
/// and the credentials file may be set.
struct context {
  std::string name{};
  std::string server{};  ///< The URL of the NATS server, without who logs in.
  std::string user{};    ///< The name of a user of the NATS server, with `password`.
  std::string password{};
  std::string token{};
  std::string credentials{};  ///< The path of a credentials file of `argosyd init`.
  std::string ca_file{};      ///< The path of the certificates that sign the server's one.
  /// The paths of a certificate and its private key, for a server that asks for one.
  std::string certificate{};
  std::string key{};
  /// The OpenID provider whose tokens say beside all this who the user is; empty if there is none.
  std::string issuer{};
  std::string client_id{};  ///< The name by which the provider knows argosyctl.
  std::string scopes{};     ///< What a token is asked for, with blanks between; usually "openid".
  std::string issuer_ca{};  ///< The path of the certificates that sign the provider's one.
  /// The server over gRPC, for programs that speak it: grpc://HOST:PORT, or grpcs:// with TLS, with
  /// NAME:PASSWORD@ if need be. Empty: it is not known.
  std::string grpc{};

  friend bool operator==(const context&, const context&) = default;
};

/// How the user proves who he is: "oidc", "password", "token", "credentials", "certificate", "url"
/// or "none".
[[nodiscard]] std::string_view kind_of(const context& one);
/// Whether the context holds a secret itself.
[[nodiscard]] bool has_secret(const context& one);
/// The URL with the user and password or the token in it, as the NATS client takes it.
[[nodiscard]] std::string url_of(const context& one);

struct context_list {
  std::string current{};
  std::vector<context> contexts{};  ///< In the order of the file; names are unique.

  [[nodiscard]] const context* find(std::string_view name) const;
  [[nodiscard]] context* find(std::string_view name);
};

/// Fills a context from a file that has the text of each key; empty for keys that are not there.
[[nodiscard]] context context_of(std::string name,
                                 const std::function<std::string(const char* key)>& text);

/// Checks what a user says of a context: ec::invalid_argument names the field.
[[nodiscard]] result<void> validate(const context& one);

/// The URL without a password or token in it.
[[nodiscard]] std::string without_secret(std::string_view url);

/// $XDG_CONFIG_HOME/argosy/config.yaml.
[[nodiscard]] std::filesystem::path contexts_file(const environment& env);

/// Reads a configuration file's text. ec::invalid_argument, "FILE:LINE:COLUMN: message", also for
/// keys that are unknown, since they would be lost when the file is written again.
[[nodiscard]] result<context_list> parse_contexts(std::string_view text, const std::string& file);
/// The text of a configuration file. Comments of an earlier one are not kept.
[[nodiscard]] std::string print_contexts(const context_list& all);

/// Where the credentials of a context in this file lie: beside it, if they have no whole path.
[[nodiscard]] std::string beside(const std::filesystem::path& file, const std::string& credentials);

/// Reads the file; no contexts if there is none.
[[nodiscard]] result<context_list> read_contexts(const std::filesystem::path& file);
/// Replaces the file at once, with mode 0600.
[[nodiscard]] result<void> write_contexts(const std::filesystem::path& file,
                                          const context_list& all);

/// Says how to close a file with secrets that other users of the machine can read; empty if it is
/// closed or not there.
[[nodiscard]] std::string mode_warning(const std::filesystem::path& file);

}  // namespace argosy::ctl
