// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/session.hpp"

#include <thread>

#include "bins/argosyctl/client/noted_client.hpp"
#include "bins/argosyctl/client/server_address.hpp"
#include "bins/argosyctl/login/token_file.hpp"
#include "bins/argosyctl/login/token_source.hpp"
#include "runtime/bus/nats/nats_bus.hpp"

namespace argosy::ctl {

namespace {

constexpr std::chrono::milliseconds retry_period{100};
/// A server that is back sooner is not worth a line.
constexpr std::chrono::milliseconds told_after{1'000};

/// Who did not write the address himself has to know where it stands.
error with_place(error why, const server_address& at) {
  if (!at.said_by.empty()) why.detail += " (the address is that of " + at.said_by + ")";
  return why;
}

/// Whether what is sent to these servers can be read on the way by nobody, since it is encrypted or
/// stays on this machine.
bool is_private_link(const context& from) {
  if (!from.ca_file.empty() || !from.certificate.empty()) return true;
  std::string_view urls{from.server};
  bool all_local = true;
  while (!urls.empty()) {
    const auto end = std::min(urls.find(','), urls.size());
    auto one = urls.substr(0, end);
    if (one.starts_with("tls://")) return true;
    if (const auto scheme = one.find("://"); scheme != std::string_view::npos)
      one.remove_prefix(scheme + 3);
    if (const auto at = one.rfind('@'); at != std::string_view::npos) one.remove_prefix(at + 1);
    all_local = all_local && access::is_loopback_url("nats://" + std::string{one});
    urls.remove_prefix(std::min(end + 1, urls.size()));
  }
  return all_local;
}

result<void> check_token_link(const context& to, const std::string& token) {
  if (is_private_link(to)) return {};
  return fail(ec::invalid_argument,
              token + " is not sent unencrypted to another machine; give a tls:// URL, not '" +
                  without_secret(to.server) + "'");
}

/// The token of the variable, if there is one and it may be shown to this server.
result<std::optional<std::string>> token_of_environment(const environment& env,
                                                        const server_address& at) {
  auto token = env.variable("ARGOSY_TOKEN");
  if (!token || token->empty()) return std::nullopt;
  auto to = at.from;
  if (to.name.empty()) to.server = at.url;
  if (auto allowed = check_token_link(to, "the token of ARGOSY_TOKEN"); !allowed)
    return fail(std::move(allowed.error()));
  return token;
}

}  // namespace

result<void> check_link(const context& from) {
  if (from.issuer.empty()) return {};
  return check_token_link(from, "the token of an OpenID provider");
}

result<std::shared_ptr<client>> session::connect_to(const context& from,
                                                    token_function token) const {
  if (auto allowed = check_link(from); !allowed) return fail(std::move(allowed.error()));
  return connect({url_of(from), timeout, verb, from, std::move(token)});
}

std::function<result<std::string>()> session::last_jobs() const {
  return [this]() -> result<std::string> {
    const auto at =
        find_server(env, {flags.server, flags.armada_url, flags.context, flags.armada_config});
    if (!at) return fail(at.error());
    return last_submission(env, without_secret(at->url));
  };
}

result<void> session::keep_last_jobs(std::string_view id_lines) const {
  const auto at =
      find_server(env, {flags.server, flags.armada_url, flags.context, flags.armada_config});
  if (!at) return fail(at.error());
  return remember_submission(env, without_secret(at->url), id_lines);
}

void session::wait(std::chrono::milliseconds time) const {
  if (pause) return pause(time);
  constexpr std::chrono::milliseconds piece{100};
  for (; time.count() > 0 && !is_interrupted(); time -= piece)
    std::this_thread::sleep_for(std::min(time, piece));
}

result<client*> session::server_soon() {
  constexpr std::chrono::milliseconds soon{1'000};
  return server(flags.timeout.empty() ? std::min(timeout, soon) : timeout);
}

result<client*> session::server(std::chrono::milliseconds patience) {
  if (connected) return connected.get();
  const auto at =
      find_server(env, {flags.server, flags.armada_url, flags.context, flags.armada_config});
  if (!at) return fail(at.error());
  if (!at->warning.empty()) out.notice("warning: " + at->warning);
  token_function tokens;
  auto given = token_of_environment(env, *at);
  if (!given) return fail(with_place(std::move(given.error()), *at));
  if (*given) {
    tokens = [token = **given] { return token; };
  } else if (!at->from.issuer.empty()) {
    auto file = token_file(env, at->from.name);
    if (!file) return fail(std::move(file.error()));
    tokens = [source = std::make_shared<token_source>(
                  at->from, std::move(*file), fetch,
                  [now = now_ns] { return now() / 1'000'000'000; })] { return source->get(); };
    // Who has to log in again hears it before anything else can fail.
    if (const auto token = tokens(); !token) return fail(with_place(token.error(), *at));
  }
  const auto begun = std::chrono::steady_clock::now();
  const auto deadline = begun + patience;
  while (true) {
    auto made = at->from.name.empty() ? connect({at->url, timeout, verb, {}, tokens})
                                      : connect_to(at->from, tokens);
    if (made) {
      connected = std::make_shared<noted_client>(std::move(*made), changed);
      out.status("");
      return connected.get();
    }
    // A server that is started anew is back in a moment; a name that nobody knows never comes.
    const bool mistyped = made.error().detail.find(bus::no_address_text) != std::string::npos;
    const bool again = (patient || !mistyped) && made.error().code == ec::unreachable &&
                       !is_interrupted() &&
                       std::chrono::steady_clock::now() + retry_period < deadline;
    if (!again) return fail(with_place(std::move(made.error()), *at));
    out.status("the server is away; waiting for it…");
    if (std::chrono::steady_clock::now() - begun >= told_after)
      out.waiting("the server is away; waiting for it…");
    std::this_thread::sleep_for(retry_period);
  }
}

bool session::is_agreed(const std::string& what) {
  out.notice("This will " + what + ". Go on? [y/N]");
  std::string line;
  std::getline(in, line);
  if (line == "y" || line == "Y" || line == "yes") return true;
  out.notice("nothing was changed");
  return false;
}

}  // namespace argosy::ctl
