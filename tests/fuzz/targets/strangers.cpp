// SPDX-License-Identifier: Apache-2.0
// Targets: what anybody may send who reaches a port, before it is known who he is.
#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <variant>

#include "runtime/access/tokens/base64url.hpp"
#include "runtime/access/tokens/token_check.hpp"
#include "runtime/access/tokens/token_reviews.hpp"
#include "runtime/bus/caller_headers.hpp"
#include "runtime/bus/nats/header_block.hpp"
#include "runtime/health/front/request_head.hpp"
#include "runtime/rpc/session/packing.hpp"
#include "runtime/rpc/session/session_core.hpp"
#include "runtime/trace/context.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/support/rpc/frames.hpp"
#include "tests/support/tokens/token_signer.hpp"

namespace argosy::fuzz {
namespace {

namespace http2 = argosy::testing::http2;
using namespace std::chrono_literals;
using nlohmann::json;

using outcome = health::head_reader::outcome;

bool same(const outcome& a, const outcome& b) {
  if (a.index() != b.index()) return false;
  if (const auto* const refusal = std::get_if<health::head_refusal>(&a))
    return refusal->status == std::get<health::head_refusal>(b).status &&
           refusal->why == std::get<health::head_refusal>(b).why;
  const auto* const head = std::get_if<health::request_head>(&a);
  if (head == nullptr) return true;
  const auto& other = std::get<health::request_head>(b);
  return head->bytes == other.bytes && head->text == other.text && head->method == other.method &&
         head->target == other.target && head->host == other.host && head->body == other.body &&
         head->length == other.length && head->closes == other.closes && head->waits == other.waits;
}

/// The outcome is the same whether the bytes come at once, one by one, or in pieces.
bool take_head(std::string_view input) {
  const health::head_bounds bounds{.bytes_max = 2'000, .line_max = 500, .headers_max = 20};
  const auto [step, bytes] = choose(input, 60);
  const auto whole = health::head_reader{bounds}.look(bytes);
  for (const auto piece : {std::size_t{1}, step + 2}) {
    health::head_reader reader{bounds};
    outcome got;
    for (std::size_t size = 0; size < bytes.size() && std::holds_alternative<std::monostate>(got);)
      got = reader.look(bytes.substr(0, size = std::min(bytes.size(), size + piece)));
    require(same(got, whole), "a head that comes in pieces is another one");
  }
  if (const auto* const refusal = std::get_if<health::head_refusal>(&whole)) {
    require(refusal->status >= 400 && !refusal->why.empty(), "a refusal says nothing");
    return false;
  }
  const auto* const head = std::get_if<health::request_head>(&whole);
  if (head == nullptr) return false;
  require(head->bytes <= bytes.size() && head->text.size() <= head->bytes, "a head is too long");
  require(head->text.ends_with("\r\n\r\n"), "a head does not end");
  // Whoever reads the text behind it reads the same request.
  const auto again = health::head_reader{bounds}.look(head->text);
  const auto* const served = std::get_if<health::request_head>(&again);
  require(served != nullptr && served->method == head->method && served->target == head->target &&
              served->body == head->body && served->length == head->length &&
              served->text == head->text,
          "what is served is another request");
  return true;
}

const registered request_heads{
    {.name = "http_heads",
     .what = form::text,
     .choice_bytes = 1,
     .take = take_head,
     .seeds =
         [] {
           return std::vector{
               with_choice(3, "GET /v1/queues?after=a&limit=3 HTTP/1.1\r\nHost: a:1\r\n\r\nrest"),
               with_choice(9,
                           "POST /v1/jobs HTTP/1.1\r\nhost: a\r\nContent-Length: 12\r\n"
                           "Expect: 100-continue\r\nConnection: close, x\r\n\r\n{}"),
               with_choice(17,
                           "PUT / HTTP/1.1\r\nHost:a\r\nTransfer-Encoding: chunked\r\n"
                           "Authorization: Bearer a.b.c\r\nRange: bytes=1-2\r\n\r\n"),
               with_choice(5, "OPTIONS * HTTP/1.0\r\nConnection: keep-alive\r\nOrigin: x\r\n\r\n")};
         },
     .inputs = 10'000}};

bool take_headers(std::string_view input) {
  if (!bus::is_header_block(input)) return false;
  bus::headers all;
  for (auto rest = input; !rest.empty();) {
    const auto end = rest.find("\r\n");
    const auto line = rest.substr(0, end);
    rest.remove_prefix(end + 2);
    if (const auto colon = line.find(':'); colon != line.npos)
      all.set(line.substr(0, colon), line.substr(colon + 1));
  }
  static_cast<void>(bus::get_error(all));
  static_cast<void>(bus::get_text(all, bus::header::note));
  static_cast<void>(bus::caller_of(all));
  static_cast<void>(bus::caller_key(all, "ipv4:127.0.0.1:1"));
  static_cast<void>(!bus::check_milliseconds(all, bus::header::timeout));
  if (const auto parent = all.get(bus::header::traceparent))
    static_cast<void>(trace::parse_traceparent(*parent));
  return bus::validate(all).has_value();
}

const registered bus_headers{
    {.name = "nats_headers",
     .what = form::text,
     .take = take_headers,
     .seeds =
         [] {
           return std::vector<std::string>{
               "NATS/1.0\r\nargosy-user:ann\r\nargosy-groups:a%0Ab\r\nargosy-permissions:7\r\n\r\n",
               "NATS/1.0 503\r\nargosy-status:not_found\r\nargosy-error:no %C3%A4\r\n"
               "argosy-timeout:250\r\nargosy-note:a%\r\n\r\n",
               "NATS/1.0\r\ntraceparent:00-0af7651916cd43dd8448eb211c80319c-"
               "b7ad6b7169203331-01\r\nargosy-scopes:x\r\n\r\n"};
         },
     .inputs = 12'000}};

/// Serves every call at once, and counts what it is told.
class server final : public rpc::session_events {
 public:
  void opened(rpc::call_id call, rpc::call_head head) override {
    require(open_ == 0 || call != last_, "a call is opened twice");
    last_ = call;
    ++open_;
    for (const auto& [name, value] : head.chosen) require(!name.empty(), "a header has no name");
    session->read(call, 1'000, true);
  }
  void message(rpc::call_id call, rpc::request what) override {
    require(what.bytes.size() <= 1'000, "a message is longer than it may be");
    if (what.packed) {
      std::string out;
      static_cast<void>(rpc::unpack(what.bytes, 10'000, out));
      require(out.size() <= 10'000, "more is unpacked than may be");
    }
    if (session->write(call, "answer", false)) session->finish(call, {});
    ++taken;
  }
  void no_message(rpc::call_id call) override { session->finish(call, {}); }
  void written(rpc::call_id, std::uint32_t) override {}
  void gone(rpc::call_id) override {}
  bool may_reset(boot_time) override { return ++resets_ < 20; }

  rpc::session_core* session = nullptr;
  std::size_t taken = 0;

 private:
  rpc::call_id last_ = 0;
  std::size_t open_ = 0;
  int resets_ = 0;
};

bool take_session(std::string_view input) {
  const auto [how, bytes] = choose(input, 64);
  server events;
  boot_time now{1'000s};
  rpc::session_core session{{.streams_max = 20}, events, now};
  events.session = &session;
  const auto pool = std::make_shared<rpc::byte_pool>(std::size_t{1} << 20);
  if ((how & 1) != 0) require(session.let_in(pool), "there is no room for a connection");
  const std::size_t piece = how < 2 ? bytes.size() + 1 : how * 3;
  bool goes_on = true;
  for (std::size_t at = 0; goes_on && at < bytes.size(); at += piece) {
    goes_on = session.receive(bytes.substr(at, piece), now);
    std::string out;
    session.produce(out, std::size_t{1} << 20, now);
    if (!goes_on) break;
    now += 10ms;
    if (how > 32) goes_on = session.tick(now += 1s);
  }
  session.shut_down();
  std::string out;
  session.produce(out, std::size_t{1} << 20, now);
  require(pool->taken() <= std::size_t{1} << 20, "more is held than there is");
  return events.taken > 0;
}

const registered sessions{
    {.name = "http2_sessions",
     .choice_bytes = 1,
     .take = take_session,
     .seeds =
         [] {
           const auto open = [](std::uint32_t stream, const std::string& more = {}) {
             return http2::frame(http2::headers, http2::end_headers, stream,
                                 http2::call_block("/api.Submit/SubmitJobs") + more);
           };
           const auto data = [](std::uint32_t stream, const std::string& message) {
             return http2::frame(http2::data, http2::end_stream, stream, message);
           };
           const auto call =
               open(1, http2::named("grpc-timeout", "5S")) + data(1, http2::message("request"));
           const auto packed = rpc::pack(std::string(8'000, 'a')).value();
           auto message = http2::message(packed);
           message.front() = 1;
           const auto second =
               open(3, http2::named("grpc-encoding", "gzip") + http2::named("argosy-mode", "dry")) +
               data(3, message);
           const auto small = http2::frame(http2::settings, 0, 0, std::string("\0\4\0\0\0\1", 6)) +
                              http2::frame(http2::ping, 0, 0, "12345678") +
                              http2::frame(http2::window_update, 0, 0, http2::number(100)) +
                              http2::frame(http2::rst_stream, 0, 1, http2::number(8));
           return std::vector{with_choice(0, http2::greeting() + call),
                              with_choice(1, http2::greeting() + call + second + small),
                              with_choice(9, http2::greeting() + call + second),
                              with_choice(41, http2::greeting() + small + call + call)};
         },
     .inputs = 20'000}};

constexpr std::int64_t now_s = 1'800'000'000;

const argosy::testing::token_signer& signer() {
  static const argosy::testing::token_signer out;
  return out;
}

bool take_token(std::string_view text) {
  access::token_rules rules;
  rules.issuer = "https://login.example.com";
  rules.audiences = {"argosy"};
  rules.groups_claim = "groups";
  const auto token = access::parse_token(text);
  if (!token) return refused(token.error());
  static const auto keys = access::parse_keys(signer().key_set()).value();
  const auto who = access::check_token(
      *token, keys, rules, std::chrono::system_clock::time_point{std::chrono::seconds{now_s}});
  if (!who) refused(who.error());
  return true;
}

bool take_keys(std::string_view text) {
  const auto keys = access::parse_keys(text);
  if (!keys) return refused(keys.error());
  for (const auto& key : *keys)
    if (access::fits(key, access::token_algorithm::es256))
      require(!access::has_signed(key, access::token_algorithm::es256, "text", text),
              "anything is a signature");
  return true;
}

bool take_kubernetes_token(std::string_view text) {
  static_cast<void>(access::is_kubernetes(text));
  return access::parse_kubernetes(text).has_value();
}

bool take_review(std::string_view text) {
  const auto user = access::read_review({201, std::string{text}});
  return user ? true : refused(user.error());
}

constexpr std::array token_takers{take_token, take_keys, take_kubernetes_token, take_review};

/// The three parts of a token stand as they are, so that what is within them is changed.
bool take_token_parts(std::string_view input) {
  const auto [which, text] = choose(input, 5);
  if (which < 4) return token_takers[which](text);
  std::string token;
  for (auto rest = text; !rest.empty();) {
    const auto end = std::min(rest.find('\n'), rest.size());
    token += (token.empty() ? "" : ".") + access::encode_base64url(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return take_token(token);
}

const registered tokens{
    {.name = "tokens",
     .what = form::text,
     .choice_bytes = 1,
     .take = take_token_parts,
     .seeds =
         [] {
           const json claims{{"iss", "https://login.example.com"},
                             {"aud", {"argosy", "b"}},
                             {"sub", "ann"},
                             {"groups", {"a", "b"}},
                             {"exp", now_s + 60},
                             {"nbf", now_s - 60}};
           const auto token = signer().token(claims);
           return std::vector{
               with_choice(0, token),
               with_choice(1, signer().key_set()),
               with_choice(
                   1, argosy::testing::token_signer{argosy::testing::token_signer::kind::edwards}
                          .key_set()),
               with_choice(
                   2, "KubernetesAuth " + access::encode_base64url(json{{"token", token}}.dump())),
               with_choice(3, R"({"status":{"authenticated":true,"user":{"username":"ann"}}})"),
               with_choice(4, R"({"alg":"ES256","kid":"k1","typ":"JWT"})"
                              "\n" +
                                  claims.dump() + "\nsignature")};
         },
     .inputs = 6'000}};

}  // namespace
}  // namespace argosy::fuzz
