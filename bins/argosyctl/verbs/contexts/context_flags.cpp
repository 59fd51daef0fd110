// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/contexts/context_flags.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "bins/argosyctl/client/input.hpp"
#include "bins/argosyctl/client/server_address.hpp"
#include "bins/shared/empty_values.hpp"
#include "runtime/access/certificate.hpp"
#include "runtime/access/credentials.hpp"

namespace argosy::ctl {

namespace {

constexpr std::size_t secret_size_max = 64u << 10;

result<std::string> whole_path(const std::string& file) {
  std::error_code failed;
  const auto path = std::filesystem::absolute(file, failed);
  if (failed) return fail(ec::invalid_argument, "'" + file + "' is no path");
  return path.lexically_normal().string();
}

}  // namespace

void context_flags::add_options(CLI::App& app) {
  app.add_option("--user", user_, "User of the NATS server; its password is asked for")
      ->type_name("NAME");
  app.add_option("--password-file", password_file_,
                 "The user's password is the first line of this file; - for stdin")
      ->type_name("FILE");
  app.add_option("--token-file", token_file_,
                 "The token of the NATS server is the first line of this file; - for stdin")
      ->type_name("FILE");
  app.add_option("--credentials", credentials_,
                 "Credentials file (NKey) that argosyd init made for you; it stays where it is")
      ->type_name("FILE");
  app.add_flag("--no-credentials", no_login_, "Log in with none of these, and forget earlier ones");
  add_field(
      app, "--grpc", &context::grpc,
      "Its address over gRPC, for Python: grpc://HOST:PORT, or grpcs:// with TLS; \"\" for none",
      "URL");
  add_field(app, "--ca-file", &context::ca_file,
            "Certificates (PEM) that sign the server's one; \"\" for those of the system", "FILE");
  add_field(app, "--cert-file", &context::certificate,
            "Certificate (PEM) that you show to a server that asks for one; \"\" for none", "FILE");
  add_field(app, "--key-file", &context::key, "Private key (PEM) of that certificate", "FILE");
  add_field(app, "--oidc-issuer", &context::issuer,
            "URL of the OpenID provider where you log in, in a browser; \"\" for none", "URL");
  add_field(app, "--oidc-client-id", &context::client_id,
            "Name by which the provider knows argosyctl", "ID");
  add_field(app, "--oidc-scopes", &context::scopes,
            "What the token is asked for, with blanks between (default: openid)", "SCOPES");
  add_field(app, "--oidc-ca-file", &context::issuer_ca,
            "Certificates (PEM) that sign the provider's one; \"\" for those of the system",
            "FILE");
}

void context_flags::add_field(CLI::App& app, const char* flag, std::string context::*field,
                              const char* help, const char* type) {
  auto* const option =
      takes_empty(app.add_option(flag)->expected(1)->description(help)->type_name(type));
  fields_.push_back({option, field, std::string_view{type} == "FILE"});
}

bool context_flags::given() const {
  return !user_.empty() || !password_file_.empty() || !token_file_.empty() ||
         !credentials_.empty() || no_login_ ||
         std::ranges::any_of(fields_, [](const auto& one) { return one.option->count() > 0; });
}

result<std::string> context_flags::secret_of(const std::string& file, session& s) const {
  std::string text;
  if (file == "-") {
    auto line = read_input_line(s.in);
    if (!line) return fail(std::move(line.error()));
    text = std::move(*line);
  } else {
    auto read = read_file(file, secret_size_max);
    if (!read) return fail(ec::invalid_argument, read.error().detail);
    text = std::move(*read);
  }
  text = text.substr(0, text.find_first_of("\r\n"));
  if (text.empty())
    return fail(ec::invalid_argument, (file == "-" ? "stdin" : file) + " has no first line");
  return text;
}

result<void> context_flags::apply_proof(context& one, session& s) const {
  const int kinds = (user_.empty() ? 0 : 1) + (token_file_.empty() ? 0 : 1) +
                    (credentials_.empty() ? 0 : 1) + (no_login_ ? 1 : 0);
  if (kinds > 1)
    return fail(ec::invalid_argument,
                "name one of --user, --token-file, --credentials and --no-credentials");
  if (!password_file_.empty() && user_.empty())
    return fail(ec::invalid_argument, "--password-file needs --user");
  if (kinds == 0) return {};
  one.user = user_;
  one.password.clear();
  one.token.clear();
  one.credentials.clear();
  result<std::string> got = std::string{};
  if (!user_.empty()) {
    got = password_file_.empty() ? s.ask_secret("Password of " + user_ + ": ")
                                 : secret_of(password_file_, s);
    if (got) one.password = std::move(*got);
  } else if (!token_file_.empty()) {
    got = secret_of(token_file_, s);
    if (got) one.token = std::move(*got);
  } else if (!credentials_.empty()) {
    got = whole_path(credentials_);
    if (got) one.credentials = std::move(*got);
  }
  if (!got) return fail(std::move(got.error()));
  return {};
}

result<void> context_flags::apply_to(context& one, session& s) const {
  if (auto applied = apply_proof(one, s); !applied) return applied;
  for (const auto& flag : fields_) {
    if (flag.option->count() == 0) continue;
    auto value = flag.option->results().back();
    if (!value.empty() && flag.is_file) {
      auto path = whole_path(value);
      if (!path) return fail(std::move(path.error()));
      value = std::move(*path);
    }
    one.*(flag.field) = std::move(value);
    // What belongs to a field that is taken back goes with it.
    if (one.certificate.empty() && flag.field == &context::certificate) one.key.clear();
    if (one.issuer.empty() && flag.field == &context::issuer)
      one.client_id = one.scopes = one.issuer_ca = {};
  }
  return {};
}

result<void> check_context(const context& one) {
  if (auto valid = validate(one); !valid) return valid;
  if (auto allowed = check_link(one); !allowed) return allowed;
  const environment nothing{[](const std::string&) { return std::nullopt; }};
  server_choice choice;
  choice.server = one.server;
  if (auto address = find_server(nothing, choice); !address) return fail(address.error());
  if (!one.credentials.empty())
    if (auto read = access::read_credentials(one.credentials); !read)
      return fail(read.error().code == ec::denied ? ec::denied : ec::invalid_argument,
                  read.error().detail);
  const auto checked = [](const char* flag, const result<void>& outcome) -> result<void> {
    if (outcome) return {};
    return fail(outcome.error().code, std::string{flag} + ": " + outcome.error().detail);
  };
  if (auto good = checked("--ca-file", access::check_authorities(one.ca_file)); !good) return good;
  if (auto good = checked("--oidc-ca-file", access::check_authorities(one.issuer_ca)); !good)
    return good;
  return checked("--cert-file and --key-file",
                 access::check_client_certificate(one.certificate, one.key));
}

}  // namespace argosy::ctl
