// SPDX-License-Identifier: Apache-2.0
#include "runtime/bus/nats/session.hpp"

#include <netdb.h>

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <set>
#include <utility>
#include <vector>

#include "runtime/access/certificate.hpp"
#include "runtime/bus/nats/nats_bus.hpp"

namespace argosy::bus {

namespace {

/// One question of 256 has an answer that the library cannot send.
constexpr int signing_tries = 8;
/// The library waits once for the connection to a server and once for its first words; for the
/// beginning of the encryption it would wait for ever.
constexpr int waits_per_server = 2;

std::string one_without_secrets(std::string_view url) {
  while (url.starts_with(' ')) url.remove_prefix(1);
  const auto scheme_end = url.find("://");
  const auto host = scheme_end == std::string_view::npos ? 0 : scheme_end + 3;
  const auto at = url.rfind('@');
  if (at == std::string_view::npos || at < host) return std::string{url};
  return std::string{url.substr(0, host)} + std::string{url.substr(at + 1)};
}

std::vector<std::string> split(std::string_view urls) {
  std::vector<std::string> out;
  while (!urls.empty()) {
    const auto comma = urls.find(',');
    auto one = urls.substr(0, comma);
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    if (!one.empty()) out.emplace_back(one);
    urls = comma == std::string_view::npos ? std::string_view{} : urls.substr(comma + 1);
  }
  return out;
}

/// The host of each URL, without user, port and brackets.
std::set<std::string> hosts_of(const std::vector<std::string>& urls) {
  std::set<std::string> out;
  for (const auto& url : urls) {
    auto plain = one_without_secrets(url);
    if (const auto scheme_end = plain.find("://"); scheme_end != std::string::npos)
      plain.erase(0, scheme_end + 3);
    if (plain.starts_with('['))
      plain = plain.substr(1, plain.find(']') - 1);
    else
      plain = plain.substr(0, plain.find(':'));
    out.insert(std::move(plain));
  }
  return out;
}

bool has_address(const std::string& host) {
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, nullptr, &found) != 0) return false;
  ::freeaddrinfo(found);
  return true;
}

/// What may be wrong with the address itself; empty when nothing is known. The library has one
/// status for a name that nobody knows and for a server that is not there.
std::string mistake_in(const std::vector<std::string>& urls, natsStatus code) {
  if (code == NATS_TIMEOUT) return "; if a server is there, it is none of NATS or very slow";
  if (code != NATS_NO_SERVER) return {};
  const auto hosts = hosts_of(urls);
  const auto unknown = std::find_if_not(hosts.begin(), hosts.end(), has_address);
  return unknown == hosts.end() ? std::string{}
                                : " " + std::string{no_address_text} + " '" + *unknown + "'";
}

/// Whether the URL or a file of certificates asks for encryption.
bool is_encrypted(const nats_settings& settings, const std::vector<std::string>& urls) {
  return !settings.ca_file.empty() || !settings.certificate_file.empty() ||
         !settings.key_file.empty() ||
         std::any_of(urls.begin(), urls.end(),
                     [](const std::string& url) { return url.starts_with("tls://"); });
}

constexpr std::chrono::milliseconds renewal_pause_max{5'000};

ec code_of(natsStatus code) {
  switch (code) {
    case NATS_TIMEOUT:
      return ec::timeout;
    case NATS_NO_RESPONDERS:
      return ec::no_responders;
    case NATS_NOT_PERMITTED:
    case NATS_CONNECTION_AUTH_FAILED:
    case NATS_SSL_ERROR:
    case NATS_SECURE_CONNECTION_WANTED:
    case NATS_SECURE_CONNECTION_REQUIRED:
      return ec::denied;
    case NATS_MAX_PAYLOAD:
      return ec::too_large;
    case NATS_NO_SERVER:
    case NATS_IO_ERROR:
    case NATS_CONNECTION_DISCONNECTED:
    case NATS_STALE_CONNECTION:
    case NATS_INSUFFICIENT_BUFFER:
    case NATS_NOT_YET_CONNECTED:
    case NATS_PROTOCOL_ERROR:
      return ec::unreachable;
    case NATS_CONNECTION_CLOSED:
    case NATS_DRAINING:
      return ec::cancelled;
    case NATS_ADDRESS_MISSING:
    case NATS_INVALID_ARG:
    case NATS_INVALID_SUBJECT:
      return ec::invalid_argument;
    default:
      return ec::internal;
  }
}

}  // namespace

std::string without_secrets(std::string_view urls) {
  std::string out;
  for (const auto& url : split(urls)) {
    if (!out.empty()) out += ",";
    out += one_without_secrets(url);
  }
  return out;
}

result<std::unique_ptr<nats_session>> nats_session::open(const nats_settings& settings) {
  std::unique_ptr<nats_session> made{new nats_session{settings}};
  made->server_ = without_secrets(settings.url);
  if (auto ok = made->connect(); !ok) return fail(std::move(ok.error()));
  return made;
}

result<void> nats_session::connect() {
  const auto& settings = settings_;
  const auto urls = split(settings.url);
  std::vector<const char*> servers;
  for (const auto& url : urls) servers.push_back(url.c_str());
  if (servers.empty())
    return fail(ec::invalid_argument, "no URL of a nats-server is given: nats://host:port");
  natsOptions* raw = nullptr;
  if (const auto code = natsOptions_Create(&raw); code != NATS_OK)
    return fail(explain(code, "cannot prepare a connection"));
  nats_options options{raw, &natsOptions_Destroy};
  const auto reach = std::make_shared<session_reach>(this);
  const auto wait = settings.reconnect_wait.count();
  const auto jitter = settings.reconnect_jitter.count();
  for (const auto code :
       {natsOptions_SetServers(raw, servers.data(), static_cast<int>(servers.size())),
        natsOptions_SetNoRandomize(raw, settings.in_order),
        natsOptions_SetName(raw, settings.name.c_str()),
        natsOptions_SetTimeout(raw, settings.connect_timeout.count()),
        natsOptions_SetPingInterval(raw, settings.ping_interval.count()),
        natsOptions_SetMaxPingsOut(raw, settings.pings_out), natsOptions_SetMaxReconnect(raw, -1),
        natsOptions_SetReconnectWait(raw, wait),
        natsOptions_SetReconnectJitter(raw, jitter, jitter),
        natsOptions_SetSendAsap(raw, settings.send_asap),
        natsOptions_SetFailRequestsOnDisconnect(raw, true),
        natsOptions_SetMaxPendingMsgs(raw, settings.pending_frames),
        natsOptions_SetCustomInboxPrefix(raw, settings.inbox_prefix.c_str()),
        natsOptions_SetDisconnectedCB(raw, &nats_session::on_disconnected, reach.get()),
        natsOptions_SetReconnectedCB(raw, &nats_session::on_reconnected, reach.get()),
        natsOptions_SetClosedCB(raw, &nats_session::on_closed, reach.get()),
        natsOptions_SetErrorHandler(raw, &nats_session::on_error, reach.get())})
    if (code != NATS_OK)
      return fail(explain(code, "the connection's settings or URL are not valid"));
  if (auto ok = secure(raw, settings, urls); !ok) return ok;
  if (auto ok = sign_in(raw, settings, *reach); !ok) return ok;
  asks_nobody_ = false;
  const auto limit = waits_per_server * static_cast<int>(servers.size()) * settings.connect_timeout;
  const auto tried = connect_within(
      limit, std::move(options), reach, closed_,
      [again = 0](nats_session& self) mutable {
        return self.must_ask_again_ && again++ < signing_tries;
      },
      [server = server_](natsStatus code) {
        return explain_status(code, "cannot connect", server);
      });
  if (!tried)
    return fail(ec::unreachable,
                "cannot connect at " + server_ + ": the server does not finish its greeting (TLS)");
  if (tried->code == NATS_OK) {
    const std::lock_guard lock{mutex_};
    reaches_.push_back(reach);
    if (auto* const before = connection_.exchange(tried->connection)) replaced_.push_back(before);
    ended_.notify_all();
  } else if (asks_nobody_) {
    return fail(ec::denied, "cannot connect at " + server_ + ": " + asks_nobody_text);
  } else {
    auto why = tried->why;
    why.detail += mistake_in(urls, tried->code);
    // A server that misses a certificate, or does not trust it, says so or ends the link after the
    // client has taken it for good. A link that ends may also be that of a server that stops.
    const bool said = tried->code == NATS_PROTOCOL_ERROR;
    if ((said || tried->code == NATS_IO_ERROR) && is_encrypted(settings, urls)) {
      if (said) why.code = ec::denied;
      why.detail += std::string{"; "} + certificate_hint;
    }
    return fail(std::move(why));
  }
  return {};
}

/// Has the connection prove by a certificate who it is, if there is one.
result<void> nats_session::show_certificate(natsOptions* options,
                                            const nats_settings& settings) const {
  const auto& file = settings.certificate_file;
  if (auto good = access::check_client_certificate(file, settings.key_file); !good) return good;
  if (file.empty()) return {};
  const auto code =
      natsOptions_LoadCertificatesChain(options, file.c_str(), settings.key_file.c_str());
  if (code == NATS_OK) return {};
  return fail(ec::invalid_argument, "the certificate in '" + file + "' and its key in '" +
                                        settings.key_file + "' cannot be used: " + library_words());
}

/// Encrypts if that is asked for. The library checks one name in the certificates of all servers,
/// or none.
result<void> nats_session::secure(natsOptions* options, const nats_settings& settings,
                                  const std::vector<std::string>& urls) const {
  if (!is_encrypted(settings, urls)) return {};
  const auto hosts = hosts_of(urls);
  if (hosts.size() > 1 && settings.ca_file.empty())
    return fail(ec::invalid_argument,
                "several tls:// servers under different names need nats.caFile: only the "
                "certificates of an authority of your own can be told from a stranger's");
  if (const auto code = natsOptions_SetSecure(options, true); code != NATS_OK)
    return fail(explain(code, "cannot prepare an encrypted connection"));
  if (!settings.ca_file.empty()) {
    if (auto fit = access::check_regular_file(settings.ca_file); !fit)
      return fail(ec::invalid_argument, "nats.caFile: " + fit.error().detail);
    const auto code = natsOptions_LoadCATrustedCertificates(options, settings.ca_file.c_str());
    if (code != NATS_OK)
      return fail(ec::invalid_argument,
                  "nats.caFile: " + settings.ca_file +
                      " has no certificates (PEM) that can be read: " + library_words());
  }
  if (auto shown = show_certificate(options, settings); !shown) return shown;
  if (hosts.size() == 1)
    if (const auto code = natsOptions_SetExpectedHostname(options, hosts.begin()->c_str());
        code != NATS_OK)
      return fail(explain(code, "cannot prepare an encrypted connection"));
  return {};
}

nats_session::~nats_session() {
  close();
  // They are destroyed here only: another thread may have been inside a call when one was closed.
  for (auto* const before : replaced_) natsConnection_Destroy(before);
  natsConnection_Destroy(connection_);
}

void nats_session::set_events(session_events events) {
  auto fresh = std::make_shared<guarded<session_events>>(std::move(events));
  {
    const std::lock_guard lock{mutex_};
    std::swap(events_, fresh);
  }
  fresh->close();
}

std::shared_ptr<guarded<session_events>> nats_session::events() {
  const std::lock_guard lock{mutex_};
  return events_;
}

link_status nats_session::status() const {
  switch (natsConnection_Status(connection_)) {
    case NATS_CONN_STATUS_CONNECTED:
      return link_status::connected;
    case NATS_CONN_STATUS_CLOSED:
      return closed_ ? link_status::closed : link_status::disconnected;
    default:
      return link_status::disconnected;
  }
}

std::string nats_session::server_id() const {
  char id[64] = {};
  if (natsConnection_GetConnectedServerId(connection_, id, sizeof(id)) != NATS_OK) return {};
  return id;
}

error nats_session::explain(natsStatus code, const std::string& what) const {
  if (code == NATS_CONNECTION_CLOSED && !closed_) code = NATS_CONNECTION_DISCONNECTED;
  return explain_status(code, what, server_);
}

void nats_session::tell(link_status now) {
  events()->run([now](const session_events& to) {
    if (to.on_status) to.on_status(now);
  });
}

void nats_session::on_disconnected(natsConnection*, void* closure) {
  reach_by(closure, [](nats_session& self) { self.tell(link_status::disconnected); });
}

void nats_session::on_reconnected(natsConnection*, void* closure) {
  reach_by(closure, [](nats_session& self) { self.tell(link_status::connected); });
}

void nats_session::on_error(natsConnection* connection, natsSubscription*, natsStatus code,
                            void* closure) {
  const char* text = nullptr;
  natsConnection_GetLastError(connection, &text);
  std::string said = text == nullptr ? "" : text;
  // The connection knows the last of several refusals, and this thread the one that it is told of.
  natsStatus known = NATS_OK;
  if (const char* own = nats_GetLastError(&known);
      code == NATS_NOT_PERMITTED && known == code && own != nullptr)
    said = own;
  if (said.empty() || code == NATS_SLOW_CONSUMER) said = natsStatus_GetText(code);
  reach_by(closure, [&](nats_session& self) {
    self.events()->run([&](const session_events& to) {
      if (to.on_error) to.on_error(code, said);
    });
  });
}

bool nats_session::is_over(natsConnection* which) const {
  return std::ranges::find(over_, which) != over_.end();
}

void nats_session::close() {
  if (connection_ == nullptr || closed_.exchange(true)) return;
  events()->close();
  {
    const std::lock_guard lock{mutex_};
    ended_.notify_all();
  }
  // From here on nobody begins it: on_closed() looks at closed_ under the lock.
  if (replacing_.joinable()) replacing_.join();
  natsConnection_Close(connection_);
  {
    // The library's own thread may still be in one of the callbacks, which use this object.
    std::unique_lock lock{mutex_};
    ended_.wait(lock, [this] { return is_over(connection_); });
  }
  // A callback that has noted the end may still be about to leave its reach, which ends with this
  // object.
  for (const auto& reach : reaches_) reach->close();
}

/// Replaces each connection that is over, until the session is closed.
void nats_session::replace() {
  while (true) {
    {
      std::unique_lock lock{mutex_};
      ended_.wait(lock, [this] { return closed_ || is_over(connection_); });
    }
    if (closed_) return;
    renew();
  }
}

/// Tries until there is a new connection or the session is closed. A wrong configuration of the
/// server may stand for long, and whoever mends it wants to see it mended.
void nats_session::renew() {
  auto pause = std::max(settings_.reconnect_wait, std::chrono::milliseconds{10});
  std::string told;
  while (!closed_) {
    const auto made = connect();
    if (made) {
      if (settings_.on_error) settings_.on_error("there is a connection to " + server_ + " again");
      events()->run([](const session_events& to) {
        if (to.on_renewed) to.on_renewed();
      });
      tell(link_status::connected);
      return;
    }
    if (closed_) return;
    if (settings_.on_error && made.error().detail != told)
      settings_.on_error(made.error().detail + "; trying on");
    told = made.error().detail;
    std::unique_lock lock{mutex_};
    ended_.wait_for(lock, pause, [this] { return closed_.load(); });
    pause = std::min(2 * pause, renewal_pause_max);
  }
}

/// Unless this is the end of the session, the library has given up.
void nats_session::on_closed(natsConnection* which, void* closure) {
  reach_by(closure, [which](nats_session& self) {
    const std::lock_guard lock{self.mutex_};
    self.over_.push_back(which);
    if (!self.closed_ && !self.replacing_.joinable())
      self.replacing_ = std::thread{[&self] { self.replace(); }};
    self.ended_.notify_all();
  });
}

std::string library_words() {
  natsStatus ignored = NATS_OK;
  const char* text = nats_GetLastError(&ignored);
  const std::string said = text == nullptr ? "" : text;
  // The text may begin with a place in the library's source, such as "(conn.c:733): ".
  const auto place_end = said.starts_with('(') ? said.find("): ") : std::string::npos;
  return place_end == std::string::npos ? said : said.substr(place_end + 3);
}

error explain_status(natsStatus code, const std::string& what, const std::string& server) {
  std::string reason = natsStatus_GetText(code);
  if (code == NATS_NO_SERVER) reason = "no nats-server answers there; is it running?";
  if (code == NATS_CONNECTION_AUTH_FAILED)
    reason =
        "the server refused the token or user; a server that argosyd init set up asks for "
        "credentials (argosyctl help credentials)";
  if (code == NATS_SECURE_CONNECTION_WANTED)
    reason = "the server does not encrypt (TLS); use nats:// and no caFile, or set up its TLS";
  if (code == NATS_SECURE_CONNECTION_REQUIRED)
    reason = "the server takes encrypted connections only; use tls://";
  if (code == NATS_SSL_ERROR)
    reason = "no trust between both ends (TLS): " + library_words() +
             "; is the nats.caFile (for argosyctl: the context's caFile, or the file in "
             "SSL_CERT_FILE) the one that signed the server's certificate, and does that name the "
             "host of the URL? And " +
             certificate_hint;
  return {code_of(code), what + " at " + server + ": " + reason};
}

}  // namespace argosy::bus
