// SPDX-License-Identifier: Apache-2.0
#include "runtime/rest/pages.hpp"

#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include "runtime/bus/caller_headers.hpp"
#include "runtime/rest/answers.hpp"
#include "runtime/rest/calls.hpp"
#include "runtime/rest/few_at_once.hpp"
#include "runtime/rest/line_streams.hpp"
#include "runtime/rest/metadata.hpp"
#include "runtime/rest/position_streams.hpp"
#include "runtime/rpc/unknown_callers.hpp"

namespace argosy::rest {

namespace {

std::shared_ptr<position_streams> changes_of(const config& from) {
  if (!from.position) return nullptr;
  return std::make_shared<position_streams>(position_streams::config{
      from.position, from.started, from.changed, from.change_streams_max, from.change_pace});
}

const error too_large{ec::overloaded,
                      "your other requests are too many or too large; try again in a second"};

class api_pages final : public health::pages, public std::enable_shared_from_this<api_pages> {
 public:
  explicit api_pages(config with)
      : config_(std::move(with)),
        calls_(config_.api, config_.answer_within, config_.position),
        streams_(std::make_shared<line_streams>(config_.api, config_.streams_max)),
        changes_(changes_of(config_)),
        bodies_(std::make_shared<border::shares>(
            border::twice(config_.bodies_max, config_.bodies_bytes_max))),
        unknown_(config_.admit, config_.unknown_max, config_.unknown_each) {}

  void add_to(httplib::Server& server) override {
    const auto page = [self = shared_from_this()](const httplib::Request& from,
                                                  httplib::Response& to) { self->serve(from, to); };
    // The library's own reading takes what curl sends for a form and limits its size.
    const auto with_body = [self = shared_from_this()](const httplib::Request& from,
                                                       httplib::Response& to,
                                                       const httplib::ContentReader& reader) {
      self->serve_body(from, reader, to);
    };
    // A dot would match no end of a line, which may stand in a path as an escape.
    constexpr const char* all = "(/api)?/v1/[\\s\\S]*";
    server.Get(all, page);
    server.Post(all, with_body);
    server.Put(all, with_body);
    server.Patch(all, with_body);
    server.Delete(all, with_body);
    server.Options(all, page);
    server.Get("/swagger.json", [self = shared_from_this()](const auto&, auto& to) {
      to.set_content(self->config_.description(), json_type);
    });
    add_page_files(server, config_.files, config_.login);
    server.set_pre_routing_handler(
        [self = shared_from_this()](const httplib::Request& from, httplib::Response& to) {
          return self->serve_without_body(from, to) ? httplib::Server::HandlerResponse::Handled
                                                    : httplib::Server::HandlerResponse::Unhandled;
        });
  }

  bool is_call(std::string_view path) const override {
    return path.starts_with("/v1/") || path.starts_with("/api/v1/");
  }

  bool takes_body(std::string_view method, std::string_view path) const override {
    return is_call(path) &&
           (method == "POST" || method == "PUT" || method == "PATCH" || method == "DELETE");
  }

  void stop() override {
    unknown_.stop();
    calls_.stop();
    streams_->stop();
    if (changes_) changes_->stop();
  }

 private:
  /// A page of another origin could call in the name of whoever looks at it.
  bool comes_from_here(const httplib::Request& from, httplib::Response& to) const {
    if (config_.local_names_only && !is_local_name(from.get_header_value("Host"))) {
      answer(to, to_reply({ec::denied, "this server answers only to localhost and 127.0.0.1"}));
      return false;
    }
    const auto origin = from.get_header_value("Origin");
    if (origin.empty()) return true;
    if (is_own_page(origin, from.get_header_value("Host"), from.has_header("Authorization")))
      return true;
    const auto& known = config_.origins;
    if (std::find(known.begin(), known.end(), origin) == known.end()) {
      answer(to, to_reply({ec::denied, "rest.allowedOrigins lacks this origin"}));
      return false;
    }
    to.set_header("Access-Control-Allow-Origin", origin);
    to.set_header("Access-Control-Allow-Credentials", "true");
    to.set_header("Vary", "Origin");
    return true;
  }

  /// Answers what must not wait for a body, or unpack one.
  bool serve_without_body(const httplib::Request& from, httplib::Response& to) {
    const auto packed = from.get_header_value("Content-Encoding");
    if ((!packed.empty() && packed != "identity") || from.is_multipart_form_data()) {
      leave_body(to);
      answer(to, packed_body());
      return true;
    }
    const bool may_have_body = from.method != "GET" && from.method != "HEAD";
    if (!is_call(from.target) || !may_have_body || from.has_header("Content-Length") ||
        from.has_header("Transfer-Encoding"))
      return false;
    serve(from, to);
    return true;
  }

  /// Who calls, and what.
  struct guest {
    request asked;
    plan planned;
    bus::headers who;
    bool asks_position = false;
    bool asks_changes = false;
  };

  /// The body of the request is not read, so that no other request can follow it.
  static void leave_body(httplib::Response& to) { to.set_header("Connection", "close"); }

  void serve(const httplib::Request& from, httplib::Response& to) {
    if (auto known = let_in(from, to)) serve_guest(std::move(*known), from, to);
  }

  /// Reads the body of whoever was let in, and of nobody else.
  void serve_body(const httplib::Request& from, const httplib::ContentReader& reader,
                  httplib::Response& to) {
    auto known = let_in(from, to);
    if (!known) return leave_body(to);
    auto& body = known->asked.body;
    // A body in chunks does not tell its size before.
    const auto told = from.get_header_value<std::uint64_t>("Content-Length");
    const auto place = bodies_->take(bus::caller_key(known->who, peer_of(from)),
                                     told > 0 ? told : config_.body_max);
    body.reserve(told);
    auto why = place.held ? cut_body() : to_reply(too_large);
    const auto take = [&](const char* data, std::size_t size) {
      const bool fits = body.size() + size <= config_.body_max;
      if (fits)
        body.append(data, size);
      else
        why = longer_body(config_.body_max);
      return fits;
    };
    if (place.held && reader(take)) return serve_guest(std::move(*known), from, to);
    leave_body(to);
    answer(to, why);
  }

  /// Finds out who calls; nobody who is refused, or who asks for what there is not, gets further.
  std::optional<guest> let_in(const httplib::Request& from, httplib::Response& to) {
    if (!comes_from_here(from, to)) return std::nullopt;
    if (from.method == "OPTIONS" && from.has_header("Origin")) {
      to.set_header("Access-Control-Allow-Headers",
                    "Content-Type, Accept, Authorization, Argosy-Position");
      to.set_header("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE");
      to.status = 200;
      return std::nullopt;
    }
    guest out;
    out.asked = {from.method, from.target.substr(0, from.target.find_first_of("?#")), {}, {}};
    for (const auto& [name, value] : from.params) out.asked.query.emplace_back(name, value);
    const bool reads = changes_ && (from.method == "GET" || from.method == "HEAD");
    out.asks_position = reads && from.path == "/v1/position";
    out.asks_changes = reads && from.path == "/v1/changes";
    out.planned =
        out.asks_position || out.asks_changes ? plan{plan::kind::call} : config_.read(out.asked);
    // The library finds routes by the path without escapes. Only what was seen to be a call before
    // it got a thread may be one.
    if (out.planned.what == plan::kind::no_route || !is_call(from.target)) {
      answer(to, to_reply({ec::not_found, "Not Found"}));
      return std::nullopt;
    }
    if (out.planned.what == plan::kind::other_verb) {
      answer(to, reply{status_code::unimplemented, 405, "Method Not Allowed"});
      return std::nullopt;
    }
    auto who = unknown_.known({peer_of(from), metadata(from, "authorization"),
                               static_cast<std::uint16_t>(std::max(from.local_port, 0))});
    if (who.what == rpc::admission::kind::admitted) {
      out.who = std::move(who.who);
      return out;
    }
    if (who.what == rpc::admission::kind::unknown)
      answer(to, unauthenticated(who.text));
    else
      answer(to,
             to_reply({who.what == rpc::admission::kind::busy ? ec::overloaded : ec::unavailable,
                       who.text}));
    return std::nullopt;
  }

  void serve_guest(guest known, const httplib::Request& from, httplib::Response& to) {
    if (known.asks_position || known.asks_changes)
      return tell_position(from, known.who, known.asks_changes, to);
    const auto& asked = known.asked;
    // With whom the answer may be shared is a matter of the body as well.
    auto planned = std::move(known.planned);
    const auto bytes = decoding_.run(asked.body.size(), [&] {
      if (!asked.body.empty()) planned = config_.read(asked);
      return planned.bytes(asked);
    });
    if (!bytes) return answer(to, to_reply(bytes.error()));
    auto with = known.who;
    bus::set_way(with, "rest", peer_of(from));
    read_metadata(from, with);
    if (const auto cause = metadata(from, bus::header::traceparent); !cause.empty())
      with.set(bus::header::traceparent, cause);
    const asked_call call{planned, *bytes, known.who, with};
    if (planned.method->streams)
      streams_->serve(call, read_timeout(from.get_header_value("Grpc-Timeout")), to);
    else
      calls_.serve(call, from, to);
  }

  /// Tells the position once, or now and whenever it has moved.
  void tell_position(const httplib::Request& from, const bus::headers& who, bool always,
                     httplib::Response& to) const {
    const auto now = config_.position();
    if (!now) return answer(to, to_reply({ec::unavailable, "this argosyd does not lead"}));
    to.set_header("Cache-Control", "no-store");
    if (!always) return to.set_content(position_body(*now, config_.started), json_type);
    const auto taken = changes_->place_for(bus::caller_key(who, peer_of(from)));
    const auto& place = taken.held;
    if (!place)
      return answer(to, to_reply({ec::overloaded, stream_refusal(taken.answer, "streams of changes",
                                                                 config_.change_streams_max) +
                                                      ", or ask for /v1/position now and then"}));
    to.set_header("X-Accel-Buffering", "no");
    const auto first = first_event(*now, config_.started, from.get_header_value("Last-Event-ID"));
    // It writes the first event, and has the library let the connection go.
    to.set_chunked_content_provider("text/event-stream", [first, now, place, to_all = changes_](
                                                             std::size_t, httplib::DataSink& sink) {
      if (sink.write(first.data(), first.size()))
        health::keep_connection([to_all, now, place](health::kept_socket socket) {
          to_all->add(std::move(socket), *now, place);
        });
      return false;
    });
  }

  const config config_;
  few_at_once decoding_;
  calls calls_;
  const std::shared_ptr<line_streams> streams_;
  const std::shared_ptr<position_streams> changes_;  ///< Null: there is no position to tell.
  const std::shared_ptr<border::shares> bodies_;
  mutable rpc::unknown_callers unknown_;
};

}  // namespace

std::shared_ptr<health::pages> make_pages(config with) {
  return std::make_shared<api_pages>(std::move(with));
}

}  // namespace argosy::rest
