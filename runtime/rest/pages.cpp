// SPDX-License-Identifier: Apache-2.0
#include "runtime/rest/pages.hpp"

#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>
#include <set>
#include <utility>

#include "runtime/bus/caller_headers.hpp"
#include "runtime/rest/line_stream.hpp"
#include "runtime/rest/metadata.hpp"
#include "runtime/rest/replies.hpp"

namespace argosy::rest {

namespace {

using std::chrono::milliseconds;
using clock = std::chrono::steady_clock;

constexpr const char* json_type = "application/json";
/// How long a stream may take until its status is told as good without an item.
constexpr milliseconds status_within{200};
/// How often a stream without items looks whether its caller is there.
constexpr milliseconds look_every{500};

void answer(httplib::Response& to, const reply& why) {
  to.status = why.http_status;
  to.set_content(error_body(why), json_type);
}

void answer_text(httplib::Response& to, int status, const std::string& text) {
  to.status = status;
  to.set_content(text, "text/plain; charset=utf-8");
}

/// The other end of the connection, as gRPC names it.
std::string peer_of(const httplib::Request& from) {
  const auto port = ":" + std::to_string(from.remote_port);
  return from.remote_addr.find(':') == std::string::npos
             ? "ipv4:" + from.remote_addr + port
             : "ipv6:%5B" + from.remote_addr + "%5D" + port;
}

class api_pages final : public health::pages, public std::enable_shared_from_this<api_pages> {
 public:
  explicit api_pages(config with) : config_(std::move(with)) {}

  void add_to(httplib::Server& server) override {
    const auto page = [self = shared_from_this()](const httplib::Request& from,
                                                  httplib::Response& to) {
      self->serve(from, from.body, to);
    };
    // The library's own reading takes what curl sends for a form and limits its size.
    const auto with_body = [self = shared_from_this()](const httplib::Request& from,
                                                       httplib::Response& to,
                                                       const httplib::ContentReader& reader) {
      std::string body;
      if (reader([&](const char* data, std::size_t size) {
            body.append(data, size);
            return true;
          }))
        self->serve(from, body, to);
    };
    constexpr const char* all = "(/api)?/v1/.*";
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

  void stop() override {
    const std::scoped_lock lock{guard_};
    stopped_ = true;
    for (auto* stream : streams_) stream->end(fail(ec::unavailable, "the server stops"));
  }

 private:
  /// A page of another origin could call in the name of whoever looks at it.
  bool comes_from_here(const httplib::Request& from, httplib::Response& to) const {
    if (config_.local_names_only && !is_local_name(from.get_header_value("Host"))) {
      answer_text(to, 403, "this server answers only to localhost and 127.0.0.1\n");
      return false;
    }
    const auto origin = from.get_header_value("Origin");
    if (origin.empty()) return true;
    if (is_own_page(origin, from.get_header_value("Host"), from.has_header("Authorization")))
      return true;
    const auto& known = config_.origins;
    if (std::find(known.begin(), known.end(), origin) == known.end()) {
      answer_text(to, 403, "rest.allowedOrigins lacks this origin\n");
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
      answer_text(to, 415, "send the body as JSON and without Content-Encoding\n");
      return true;
    }
    const bool may_have_body = from.method != "GET" && from.method != "HEAD";
    const bool is_api = from.path.rfind("/v1/", 0) == 0 || from.path.rfind("/api/v1/", 0) == 0;
    if (!is_api || !may_have_body || from.has_header("Content-Length") ||
        from.has_header("Transfer-Encoding"))
      return false;
    serve(from, "", to);
    return true;
  }

  void serve(const httplib::Request& from, const std::string& body, httplib::Response& to) {
    if (!comes_from_here(from, to)) return;
    if (from.method == "OPTIONS" && from.has_header("Origin")) {
      to.set_header("Access-Control-Allow-Headers", "Content-Type, Accept, Authorization");
      to.set_header("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE");
      to.status = 200;
      return;
    }
    request asked{from.method, from.path, body, {}};
    for (const auto& [name, value] : from.params) asked.query.emplace_back(name, value);
    const bool asks_position =
        config_.position && from.method == "GET" && from.path == "/v1/position";
    auto planned = asks_position ? plan{plan::kind::call} : config_.read(asked);
    if (planned.what == plan::kind::no_route) return answer_text(to, 404, "Not Found\n");
    if (planned.what == plan::kind::other_verb) return answer_text(to, 405, "Method Not Allowed\n");
    auto who = known({peer_of(from), metadata(from, "authorization"),
                      static_cast<std::uint16_t>(std::max(from.local_port, 0))});
    if (who.what == rpc::admission::kind::unknown) return answer(to, unauthenticated(who.text));
    if (who.what == rpc::admission::kind::busy)
      return answer(to, to_reply({ec::overloaded, who.text}));
    if (who.what == rpc::admission::kind::broken)
      return answer(to, to_reply({ec::unavailable, who.text}));
    if (asks_position) return tell_position(to);
    const auto bytes = planned.bytes(asked);
    if (!bytes) return answer(to, to_reply(bytes.error()));
    auto with = std::move(who.who);
    bus::set_way(with, "rest", peer_of(from));
    read_metadata(from, with);
    if (const auto cause = metadata(from, bus::header::traceparent); !cause.empty())
      with.set(bus::header::traceparent, cause);
    const auto limit = read_timeout(from.get_header_value("Grpc-Timeout"));
    if (planned.method->streams)
      stream(planned, *bytes, with, limit, to);
    else
      call(planned, *bytes, with, limit, to);
  }

  void tell_position(httplib::Response& to) const {
    const auto now = config_.position();
    if (!now) return answer(to, to_reply({ec::unavailable, "this argosyd does not lead"}));
    to.set_content(*now, json_type);
  }

  /// Waits until it is known who calls, for the time of a check of passwords or of a question to
  /// others.
  [[nodiscard]] rpc::admission known(const rpc::caller& who) const {
    struct place {
      explicit place(std::atomic<std::size_t>& all) : taken(all), number(++all) {}
      ~place() { --taken; }
      std::atomic<std::size_t>& taken;
      std::size_t number;
    };
    const place mine{unknown_};
    if (mine.number > config_.unknown_max)
      return {rpc::admission::kind::busy,
              "too many callers wait to be let in; try again in a second",
              {}};
    auto told = std::make_shared<std::promise<rpc::admission>>();
    auto answer = told->get_future();
    config_.admit(who, [told](rpc::admission what) { told->set_value(std::move(what)); });
    return answer.get();
  }

  void call(const plan& planned, const std::string& bytes, const bus::headers& with,
            std::optional<milliseconds> limit, httplib::Response& to) const {
    const auto within =
        std::clamp(limit.value_or(config_.answer_within), milliseconds{1}, config_.answer_within);
    const auto got = config_.api->request_sync(planned.method->subject, bytes, with, within);
    if (!got) return answer(to, to_reply(*planned.method, got.error()));
    auto text = planned.write(got->data);
    if (!text) return answer(to, to_reply(text.error()));
    write_metadata(got->headers, to);
    to.set_content(*text, json_type);
  }

  /// Keeps the number of streams, and ends the stream when the server stops.
  std::shared_ptr<line_stream> new_stream() {
    const std::scoped_lock lock{guard_};
    if (stopped_ || streams_.size() >= config_.streams_max) return nullptr;
    auto made = std::make_unique<line_stream>();
    streams_.insert(made.get());
    return {made.release(), [self = shared_from_this()](line_stream* item) {
              {
                const std::scoped_lock held{self->guard_};
                self->streams_.erase(item);
              }
              delete item;
            }};
  }

  void stream(const plan& planned, const std::string& bytes, const bus::headers& with,
              std::optional<milliseconds> limit, httplib::Response& to) {
    const auto from = new_stream();
    if (!from)
      return answer(
          to, to_reply({ec::overloaded, "as many streams are open over REST as there may be, " +
                                            std::to_string(config_.streams_max)}));
    from->open(*config_.api, planned.method->subject, bytes, with);
    const auto until = limit ? std::optional{clock::now() + *limit} : std::nullopt;
    from->wait(status_within);
    auto first = from->take();
    if (first.end && !*first.end) return answer(to, to_reply(*planned.method, first.end->error()));
    to.set_chunked_content_provider(json_type, [from, until, planned, first = std::move(first)](
                                                   std::size_t, httplib::DataSink& sink) mutable {
      auto now = std::exchange(first, {});
      if (!now.item && !now.end) {
        from->wait(look_every);
        now = from->take();
      }
      if (!now.item && !now.end && until && clock::now() >= *until)
        now.end = fail(ec::timeout, "the time that the caller set is over");
      return write(planned, now, sink);
    });
  }

  static bool write(const plan& planned, const line_stream::next_one& now,
                    httplib::DataSink& sink) {
    std::string line;
    if (now.item) {
      auto text = planned.write(*now.item);
      if (text) {
        line = "{\"result\":" + *text + "}\n";
        return sink.write(line.data(), line.size());
      }
      line = late_error(to_reply(text.error())) + "\n";
    } else if (!now.end) {
      return sink.is_writable();
    } else if (!*now.end) {
      line = late_error(to_reply(*planned.method, now.end->error())) + "\n";
    }
    if (!line.empty() && !sink.write(line.data(), line.size())) return false;
    sink.done();
    return true;
  }

  const config config_;
  mutable std::atomic<std::size_t> unknown_ = 0;  ///< How many wait in known().
  std::mutex guard_;                              ///< Guards what follows.
  std::set<line_stream*> streams_;
  bool stopped_ = false;
};

}  // namespace

std::shared_ptr<health::pages> make_pages(config with) {
  return std::make_shared<api_pages>(std::move(with));
}

}  // namespace argosy::rest
