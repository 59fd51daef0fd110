// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/https/exchange.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>

#include "runtime/base/text.hpp"
#include "runtime/base/whole_number.hpp"
#include "runtime/kube/https/retry_core.hpp"

namespace argosy::kube {

namespace {

/// libcurl refers to the text, which outlives the handle.
curl_blob blob_of(const std::string& text) {
  return {const_cast<char*>(text.data()), text.size(), CURL_BLOB_NOCOPY};
}

void add(curl_slist*& list, const std::string& line) {
  if (auto* const longer = curl_slist_append(list, line.c_str()); longer != nullptr) list = longer;
}

/// A peer that is gone without a word is noticed by the system, also on a connection that many
/// requests share.
int prepare_socket(void*, curl_socket_t socket, curlsocktype) {
  constexpr int unanswered_ms = 30'000;
  ::setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered_ms, sizeof unanswered_ms);
  return CURL_SOCKOPT_OK;
}

bool never_sent(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_OUT_OF_MEMORY:
      return true;
    default:
      return false;
  }
}

}  // namespace

exchange::exchange(const https_peer& peer, std::shared_ptr<const identity> as, exchange_plan plan,
                   const clock_source& clock)
    : curl_(curl_easy_init()),
      server_(peer.url.text()),
      as_(std::move(as)),
      plan_(std::move(plan)),
      clock_(clock),
      message_(CURL_ERROR_SIZE, '\0'),
      began_(clock.boot()),
      heard_(began_) {
  if (curl_ == nullptr) return;
  set_headers(peer);
  set_connection(peer);
  set_tls(peer);
  set_request();
}

exchange::~exchange() {
  curl_easy_cleanup(curl_);
  curl_slist_free_all(headers_);
  curl_slist_free_all(connect_to_);
}

void exchange::set_headers(const https_peer& peer) {
  const auto& what = plan_.what;
  add(headers_,
      what.metadata_only
          ? "Accept: application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"
          : "Accept: application/json");
  if (!what.body.empty()) {
    add(headers_, "Content-Type: " + what.content_type);
    // Without it libcurl waits a second for a server that does not say to go on.
    add(headers_, "Expect:");
  }
  if (!as_->token.empty()) add(headers_, "Authorization: Bearer " + as_->token);
  if (!what.user.empty()) add(headers_, "Impersonate-User: " + what.user);
  for (const auto& group : what.groups) add(headers_, "Impersonate-Group: " + group);
  // The server is asked for by its own name, whatever name its certificate has.
  if (!peer.tls_name.empty()) add(headers_, "Host: " + peer.url.host + ":" + peer.url.port);
  curl_easy_setopt(curl_, CURLOPT_HTTPHEADER, headers_);
  curl_easy_setopt(curl_, CURLOPT_USERAGENT, peer.agent.c_str());
}

void exchange::set_connection(const https_peer& peer) {
  const auto& url = peer.url;
  const auto& name = peer.tls_name.empty() ? url.host : peer.tls_name;
  const auto whole = url.scheme + "://" + name + ":" + url.port + url.path + plan_.what.path;
  curl_easy_setopt(curl_, CURLOPT_URL, whole.c_str());
  // The path is the caller's: no part of it may be taken for a step upwards.
  curl_easy_setopt(curl_, CURLOPT_PATH_AS_IS, 1L);
  if (!peer.tls_name.empty()) {
    add(connect_to_, name + ":" + url.port + ":" + url.host + ":" + url.port);
    curl_easy_setopt(curl_, CURLOPT_CONNECT_TO, connect_to_);
  }
  curl_easy_setopt(curl_, CURLOPT_PROTOCOLS_STR, url.scheme.c_str());
  curl_easy_setopt(curl_, CURLOPT_FOLLOWLOCATION, 0L);
  if (!peer.proxy.empty()) curl_easy_setopt(curl_, CURLOPT_PROXY, peer.proxy.c_str());
  // Nothing that stays on this machine goes through a proxy of the environment.
  if (url.is_loopback()) curl_easy_setopt(curl_, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(curl_, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  curl_easy_setopt(curl_, CURLOPT_PIPEWAIT, 1L);
  curl_easy_setopt(curl_, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(curl_, CURLOPT_TCP_KEEPIDLE, 30L);
  curl_easy_setopt(curl_, CURLOPT_TCP_KEEPINTVL, 10L);
  curl_easy_setopt(curl_, CURLOPT_SOCKOPTFUNCTION, &prepare_socket);
  // Signals are the program's own.
  curl_easy_setopt(curl_, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl_, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(std::min(peer.connect_within, plan_.within).count()));
  if (!plan_.stream)
    curl_easy_setopt(curl_, CURLOPT_TIMEOUT_MS,
                     static_cast<long>(std::max<std::int64_t>(plan_.within.count(), 1)));
}

void exchange::set_tls(const https_peer& peer) {
  curl_easy_setopt(curl_, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (!peer.verified) {
    curl_easy_setopt(curl_, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(curl_, CURLOPT_SSL_VERIFYHOST, 0L);
  }
  if (!as_->authorities.empty()) {
    auto blob = blob_of(as_->authorities);
    curl_easy_setopt(curl_, CURLOPT_CAINFO_BLOB, &blob);
    // Authorities that are given are the only ones; those of the system would count beside them.
    curl_easy_setopt(curl_, CURLOPT_CAPATH, nullptr);
  }
  if (as_->certificate.empty()) return;
  auto certificate = blob_of(as_->certificate);
  auto key = blob_of(as_->key);
  curl_easy_setopt(curl_, CURLOPT_SSLCERT_BLOB, &certificate);
  curl_easy_setopt(curl_, CURLOPT_SSLKEY_BLOB, &key);
}

void exchange::set_request() {
  const auto& what = plan_.what;
  if (!what.body.empty()) {
    curl_easy_setopt(curl_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(what.body.size()));
    curl_easy_setopt(curl_, CURLOPT_POSTFIELDS, what.body.c_str());
  }
  curl_easy_setopt(curl_, CURLOPT_CUSTOMREQUEST, what.verb.c_str());
  // Lists are long, and servers compress them when asked; the limit holds for what comes out.
  if (!plan_.stream) curl_easy_setopt(curl_, CURLOPT_ACCEPT_ENCODING, "gzip");
  curl_easy_setopt(curl_, CURLOPT_HEADERFUNCTION, &on_head);
  curl_easy_setopt(curl_, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(curl_, CURLOPT_WRITEFUNCTION, &on_body);
  curl_easy_setopt(curl_, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(curl_, CURLOPT_ERRORBUFFER, message_.data());
}

std::size_t exchange::on_head(const char* data, std::size_t size, std::size_t count, void* self) {
  static_cast<exchange*>(self)->take_head_line({data, size * count});
  return size * count;
}

void exchange::take_head_line(std::string_view line) {
  heard_ = clock_.boot();
  if (line.starts_with("HTTP/")) {
    // A new head: the one before was a proxy's, or told to go on.
    status_ = 0;
    retry_after_.reset();
    const auto space = line.find(' ');
    if (space != std::string_view::npos)
      status_ = whole_number<int>(line.substr(space + 1, 3)).value_or(0);
    if (status_ >= 200) opened_ = heard_;
    if (plan_.opened && status_ == 200) plan_.opened();
    return;
  }
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const auto name = lower_case(line.substr(0, colon));
  const auto value = line.substr(colon + 1);
  if (name == "retry-after") retry_after_ = read_retry_after(value);
  if (name != "date") return;
  if (const auto when = curl_getdate(std::string{value}.c_str(), nullptr); when > 0)
    date_ = wall_time{std::chrono::seconds{when}};
}

std::size_t exchange::on_body(const char* data, std::size_t size, std::size_t count, void* self) {
  // Another number than this ends the exchange.
  return static_cast<exchange*>(self)->take({data, size * count}) ? size * count : 0;
}

bool exchange::take(std::string_view piece) {
  heard_ = clock_.boot();
  if (plan_.stream && status_ == 200) {
    stopped_ = stopped_ || !plan_.stream(piece);
    return !stopped_;
  }
  too_long_ = body_.size() + piece.size() > plan_.answer_bytes_max;
  if (!too_long_) body_.append(piece);
  return !too_long_;
}

std::optional<boot_time> exchange::silent_at() const noexcept {
  if (!plan_.stream) return std::nullopt;
  return opened_ ? heard_ + plan_.silence_max : began_ + plan_.within;
}

error exchange::why(CURLcode code) const {
  const auto text = [&](const char* what) {
    std::string said{message_.c_str()};
    if (said.empty()) said = curl_easy_strerror(code);
    return server_ + " " + what + ": " + said;
  };
  if (too_long_)
    return {ec::too_large, "the answer of " + server_ + " has more than " +
                               std::to_string(plan_.answer_bytes_max) + " bytes"};
  curl_off_t before_sending = 0;
  curl_easy_getinfo(curl_, CURLINFO_PRETRANSFER_TIME_T, &before_sending);
  // libcurl sends a request once more where the first connection proved closed, so that one that
  // cannot connect may have been sent over another before.
  long sent = 0;
  curl_easy_getinfo(curl_, CURLINFO_REQUEST_SIZE, &sent);
  const bool reads_only = plan_.what.verb == "GET";
  if ((never_sent(code) || before_sending == 0) && (reads_only || sent == 0))
    return {ec::unreachable, text("cannot be reached")};
  if (code == CURLE_OPERATION_TIMEDOUT)
    return {ec::timeout,
            server_ + " did not answer within " + std::to_string(plan_.within.count()) + " ms"};
  // Whatever is not read only may have taken effect.
  return {reads_only ? ec::unreachable : ec::timeout, text("did not answer")};
}

exchange_end exchange::ended() const {
  exchange_end out{.status = status_, .retry_after = retry_after_, .date = date_};
  if (opened_)
    out.lasted = std::chrono::duration_cast<std::chrono::milliseconds>(clock_.boot() - *opened_);
  return out;
}

exchange_end exchange::finish(CURLcode code) {
  auto out = ended();
  out.body = std::move(body_);
  if (code == CURLE_OK && status_ != 0) return out;
  out.why = why(code);
  out.final = too_long_;
  out.too_slow = code == CURLE_OPERATION_TIMEDOUT;
  // Part of an answer is none, but for a stream, of which the part has been used.
  if (!plan_.stream) out.status = 0;
  return out;
}

exchange_end exchange::finish_silent() {
  auto out = ended();
  const auto limit = opened_ ? plan_.silence_max : plan_.within;
  out.too_slow = true;
  out.why =
      error{ec::timeout, server_ + " was silent for " + std::to_string(limit.count()) + " ms"};
  return out;
}

}  // namespace argosy::kube
