// SPDX-License-Identifier: Apache-2.0
// The verb login: tries a server with one call, and keeps its address and what proves who the user
// is as the current context. Nothing is written when the server refuses.
#include <fmt/format.h>

#include <filesystem>
#include <iterator>

#include "bins/argosyctl/client/contexts.hpp"
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

 private:
  result<void> ask(session& s);

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

result<void> login_command::ask(session& s) {
  if (url_.empty()) url_ = s.flags.server;
  if (!url_.empty()) return {};
  if (!s.out.where().in_is_terminal)
    return fail(ec::invalid_argument, "name the server, such as nats://HOST:PORT");
  s.out.notice("URL of the server, such as nats://HOST:PORT:");
  std::getline(s.in, url_);
  if (url_.empty()) return fail(ec::invalid_argument, "no server was named");
  return {};
}

result<exit_code> login_command::run(session& s) {
  if (auto asked = ask(s); !asked) return fail(std::move(asked.error()));
  const auto file = contexts_file(s.env);
  auto all = read_contexts(file);
  if (!all) return fail(std::move(all.error()));
  context fresh;
  fresh.name = name_.empty() ? name_of(url_) : name_;
  fresh.server = url_;
  if (auto applied = flags_.apply_to(fresh, s); !applied) return fail(std::move(applied.error()));
  if (auto valid = check_context(fresh); !valid) return fail(std::move(valid.error()));
  auto server = s.connect({fresh.url(), s.timeout, s.verb, fresh.credentials, fresh.ca_file});
  if (!server) return fail(std::move(server.error()));
  s.connected = *server;
  const auto me =
      call<argosy::v1::WhoAmIResponse>(**server, "Access.WhoAmI", argosy::v1::WhoAmIRequest{});
  if (!me) return fail(me.error());
  all->current = fresh.name;
  if (auto* const known = all->find(fresh.name))
    *known = fresh;
  else
    all->contexts.push_back(fresh);
  if (auto written = write_contexts(file, *all); !written) return fail(std::move(written.error()));
  if (s.as == format::json)
    s.out.print_line(fmt::format(R"({{"context":{},"server":{},"user":{}}})",
                                 json_string(fresh.name), json_string(without_secret(url_)),
                                 json_string(me->name())));
  else if (s.as == format::name)
    s.out.print_line("context/" + escaped(fresh.name));
  else
    s.out.print_line(fmt::format("logged in to {} as {}; '{}' is now the current context, in {}",
                                 escaped(without_secret(url_)),
                                 me->name().empty() ? "nobody in particular" : escaped(me->name()),
                                 escaped(fresh.name), file.string()));
  if (s.env.variable("ARGOSY_SERVER"))
    s.out.notice("note: ARGOSY_SERVER is set, which comes before the current context");
  return exit_code::success;
}

}  // namespace

void define_login(CLI::App& app, command_set& commands) {
  define_verb<login_command>(app, commands);
}

}  // namespace argosy::ctl
