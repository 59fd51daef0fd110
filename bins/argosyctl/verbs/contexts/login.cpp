// SPDX-License-Identifier: Apache-2.0
// The verb login: tries a server with one call, and keeps its address and what proves who the user
// is as the current context. Nothing is written when the server refuses.
#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "bins/argosyctl/client/contexts.hpp"
#include "bins/argosyctl/client/input.hpp"
#include "bins/argosyctl/login/device_login.hpp"
#include "bins/argosyctl/login/token_file.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/output/text.hpp"
#include "bins/argosyctl/verbs/contexts/context_flags.hpp"
#include "messages/proto/argosy/access.pb.h"

namespace argosy::ctl {

namespace {

class login_command final : public command {
 public:
  explicit login_command(CLI::App& app) {
    app.footer(
        "argosyctl login nats://127.0.0.1:4222\n"
        "argosyctl login tls://argosy.example.com:4222 --name work --credentials ./user-ann\n"
        "argosyctl login nats://10.0.0.1:4222 --user ann\n"
        "argosyctl login tls://argosy.example.com:4222 --name work --credentials ./user-web "
        "--oidc-issuer https://login.example.com --oidc-client-id argosy\n"
        "pass show argosy | argosyctl login nats://10.0.0.1:4222 --token-file -\n"
        "argosyctl help contexts");
    app.add_option("url", url_, "URL of the NATS server, as argosyd prints it; asked for if absent")
        ->type_name("URL");
    app.add_option("--name", name_, "Name of the context; usually the server's host and port")
        ->type_name("NAME");
    flags_.add_options(app);
  }
  std::vector<std::string> formats() const override { return {"table", "name", "json"}; }
  result<exit_code> run(session& s) override;
  bool waits() const override { return true; }
  std::string_view timeout_help() const override {
    return "Longest time for a request, 30s if it is not given, and for a login in a browser, with "
           "exit code 124 after it";
  }

 private:
  result<void> ask(session& s, const context_list& all);
  result<void> keep(session& s, context_list& all, const context& fresh,
                    const std::optional<login_token>& token) const;
  void tell(session& s, const context& fresh, const std::string& user,
            const std::filesystem::path& file) const;

  std::string url_;
  std::string name_;
  context_flags flags_;
};

/// "host:port" of the URL, which names a context that the user does not name.
std::string name_of(std::string_view url) {
  if (const auto scheme = url.find("://"); scheme != std::string_view::npos)
    url.remove_prefix(scheme + 3);
  if (const auto at = url.rfind('@'); at != std::string_view::npos) url.remove_prefix(at + 1);
  while (url.ends_with('/')) url.remove_suffix(1);
  return std::string{url};
}

/// Finds the server's URL: it stands on the command line, or in a context that is logged in anew.
result<void> login_command::ask(session& s, const context_list& all) {
  if (url_.empty()) url_ = s.flags.server;
  if (!url_.empty() || all.find(name_) != nullptr) return {};
  if (!s.out.where().in_is_terminal)
    return fail(ec::invalid_argument, "name the server, such as nats://HOST:PORT");
  s.out.notice("URL of the server, such as nats://HOST:PORT:");
  auto line = read_input_line(s.in);
  if (!line) return fail(std::move(line.error()));
  url_ = std::move(*line);
  if (url_.empty()) return fail(ec::invalid_argument, "no server was named");
  return {};
}

/// Logs in at the OpenID provider of the context.
result<login_token> log_in_at_provider(session& s, const context& from) {
  login_world world;
  world.fetch = s.fetch;
  world.show = [&s, &from](const device_code& code) {
    s.out.notice(
        fmt::format("To log in at {}, open this address in a browser on any machine:\n\n"
                    "  {}\n\nand enter the code {}",
                    escaped(from.issuer), escaped(code.url), escaped(code.user_code)));
    if (!code.complete_url.empty()) s.out.notice("or open: " + escaped(code.complete_url));
    s.out.status("waiting until you have logged in…");
  };
  world.wait = [&s](std::chrono::milliseconds time) { s.wait(time); };
  world.stopped = [&s] { return s.is_interrupted(); };
  world.now = [&s] { return s.now_ns() / 1'000'000'000; };
  world.limit = s.wait_limit;
  auto token = log_in(from, world);
  s.out.status("");
  return token;
}

result<void> login_command::keep(session& s, context_list& all, const context& fresh,
                                 const std::optional<login_token>& token) const {
  all.current = fresh.name;
  if (auto* const known = all.find(fresh.name))
    *known = fresh;
  else
    all.contexts.push_back(fresh);
  if (token) {
    const auto file = token_file(s.env, fresh.name);
    if (!file) return fail(file.error());
    if (auto written = write_token(*file, fresh, *token); !written) return written;
  } else {
    forget_token(s.env, fresh.name);
  }
  return write_contexts(contexts_file(s.env), all);
}

void login_command::tell(session& s, const context& fresh, const std::string& user,
                         const std::filesystem::path& file) const {
  const auto server = without_secret(fresh.server);
  if (s.as == format::json)
    s.out.print_line(fmt::format(R"({{"context":{},"server":{},"user":{}}})",
                                 json_string(fresh.name), json_string(server), json_string(user)));
  else if (s.as == format::name)
    s.out.print_line("context/" + escaped(fresh.name));
  else
    s.out.print_line(fmt::format(
        "logged in to {} as {}; '{}' is now the current context, in {}", escaped(server),
        user.empty() ? "nobody in particular" : escaped(user), escaped(fresh.name), file.string()));
  if (s.env.variable("ARGOSY_SERVER"))
    s.out.notice("note: ARGOSY_SERVER is set, which comes before the current context");
}

result<exit_code> login_command::run(session& s) {
  const auto file = contexts_file(s.env);
  auto all = read_contexts(file);
  if (!all) return fail(std::move(all.error()));
  if (auto asked = ask(s, *all); !asked) return fail(std::move(asked.error()));
  context fresh;
  // Without a URL a context that is known is logged in anew.
  if (url_.empty()) fresh = *all->find(name_);
  fresh.name = name_.empty() ? name_of(url_) : name_;
  if (!url_.empty()) fresh.server = url_;
  if (auto applied = flags_.apply_to(fresh, s); !applied) return fail(std::move(applied.error()));
  if (auto valid = check_context(fresh); !valid) return fail(std::move(valid.error()));
  std::optional<login_token> token;
  token_function shown;
  if (!fresh.issuer.empty()) {
    if (auto place = token_file(s.env, fresh.name); !place) return fail(std::move(place.error()));
    auto got = log_in_at_provider(s, fresh);
    if (!got && got.error().code == ec::timeout) {
      s.out.error_line(got.error().detail);
      return exit_code::timed_out;
    }
    if (!got) return fail(std::move(got.error()));
    token = std::move(*got);
    shown = [text = token->token] { return result<std::string>{text}; };
  }
  auto server = s.connect_to(fresh, std::move(shown));
  if (!server) return fail(std::move(server.error()));
  s.connected = *server;
  const auto me =
      call<argosy::v1::WhoAmIResponse>(**server, "Access.WhoAmI", argosy::v1::WhoAmIRequest{});
  if (!me) return fail(me.error());
  if (auto kept = keep(s, *all, fresh, token); !kept) return fail(std::move(kept.error()));
  tell(s, fresh, me->name(), file);
  return exit_code::success;
}

}  // namespace

void define_login(CLI::App& app, command_set& commands) {
  define_verb<login_command>(app, commands);
}

}  // namespace argosy::ctl
