// SPDX-License-Identifier: Apache-2.0
#include "runtime/health/bounded_server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/health/front/bounded_stream.hpp"

namespace argosy::health {

namespace {

/// How many connections may wait to be accepted. The library lets 5, and when more come at once the
/// others try again after seconds.
constexpr int waiting_to_be_accepted_max = 1'024;
/// How long a thread waits for the next request of a client whom it has answered: a client who asks
/// one thing after the other has it on this thread sooner than through the room.
constexpr int next_request_within_ms = 2;

/// The library has so much of a path, which is longer than the paths that it has routes for: all
/// others begin with that of the API, which reads what was asked for itself.
constexpr std::size_t path_max = 64;

/// The library would pack an answer with Brotli as tightly as can be, which takes seconds for a
/// megabyte.
void take_no_brotli(httplib::Request& request) {
  const auto takes = request.get_header_value("Accept-Encoding");
  if (takes.find("br") == std::string::npos) return;
  request.headers.erase("Accept-Encoding");
  if (takes.find("gzip") != std::string::npos) request.set_header("Accept-Encoding", "gzip");
}

void prepare(httplib::Request& request) {
  take_no_brotli(request);
  // The library looks for the route of a path with stack for each of its bytes, of which there may
  // be thousands.
  if (request.path.size() > path_max) request.path.resize(path_max);
}

/// Whether a request asks whether the process lives or is ready, for which it may be ended if there
/// is no answer, and which costs nearly nothing.
bool is_probe(const request_head& head) {
  const auto path = std::string_view{head.target}.substr(0, head.target.find('?'));
  return path == "/livez" || path == "/readyz" || path == "/healthz" || path == "/health";
}

/// What anybody may read is for few at a time, since some of it is large.
connection_bounds for_pages(connection_bounds bounds) {
  const auto few = few_connections();
  bounds.connections_max = std::min(bounds.connections_max, few.connections_max);
  bounds.stalled_max = std::min(bounds.stalled_max, few.stalled_max);
  return bounds;
}

bool sends_soon(const open_connection& one) {
  pollfd asked{one.socket.get(), POLLIN, 0};
  return ::poll(&asked, 1, next_request_within_ms) == 1;
}

}  // namespace

bounded_server::bounded_server(config with)
    : config_(std::move(with)),
      stops_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      calls_(config_.bounds),
      pages_(for_pages(config_.bounds)),
      room_({config_.bounds, config_.admits,
             [this](const request_head& head) { return refusal_of(head); },
             [this](waiting_room::connection_pointer one, request_head head) {
               // A function that is kept has to be one that can be copied.
               auto held = std::make_shared<waiting_room::connection_pointer>(std::move(one));
               const bool first = is_probe(head);
               lane_of(head).threads.enqueue(
                   [this, held, head = std::move(head)]() mutable {
                     serve_connection(std::move(*held), std::move(head));
                   },
                   first);
             }}) {
  // The library tells clients of these two.
  set_keep_alive_max_count(config_.bounds.requests_max);
  set_keep_alive_timeout(std::chrono::ceil<std::chrono::seconds>(config_.bounds.idle_for).count());
}

bounded_server::~bounded_server() = default;

void bounded_server::serve() {
  const int listening = svr_sock_;
  static_cast<void>(::listen(listening, waiting_to_be_accepted_max));
  ::fcntl(listening, F_SETFL, ::fcntl(listening, F_GETFL) | O_NONBLOCK);
  room_.run(listening);
  // The library takes this for the end of the server, by which it ends answers under way.
  svr_sock_ = INVALID_SOCKET;
  calls_.threads.shutdown();
  pages_.threads.shutdown();
  ::close(listening);
}

void bounded_server::end() {
  ::eventfd_write(stops_.get(), 1);
  room_.stop();
}

bounded_server::lane& bounded_server::lane_of(const request_head& head) {
  return config_.is_call && config_.is_call(head) ? calls_ : pages_;
}

std::optional<head_refusal> bounded_server::refusal_of(const request_head& head) {
  if (!config_.names->has(head.host))
    return head_refusal{403,
                        "this server is not called by this name; health.hostNames lists names"};
  if (head.body != request_head::framing::none) {
    if (!config_.takes_body || !config_.takes_body(head))
      return head_refusal{413, "a request of this kind takes no body here"};
    if (head.length > config_.bounds.body_max)
      return head_refusal{
          413, "the body has more than " + std::to_string(config_.bounds.body_max) + " bytes"};
  }
  // Others who wait are no reason to refuse a probe, which comes before them; other probes are.
  const auto waiting_max = config_.bounds.waiting_max * (is_probe(head) ? 2 : 1);
  if (lane_of(head).threads.waiting() >= waiting_max)
    return head_refusal{503, "too many requests wait; try again in a second"};
  return std::nullopt;
}

/// Returns whether the connection is still there.
bool bounded_server::serve_request(open_connection& one, const request_head& head, bool& reusable) {
  const bool is_last = ++one.requests >= config_.bounds.requests_max || head.closes ||
                       head.body == request_head::framing::chunked;
  bool closed = false;
  bounded_stream stream{one, head, config_.bounds, lane_of(head).stalled, stops_.get()};
  const bool good = [&] {
    const serving now{one.socket.get()};
    return process_request(stream, is_last, closed, prepare);
  }();
  reusable = !is_last && !closed && !stream.has_unread();
  if (const auto take = taker_of_connection()) {
    take(std::move(one.socket));
    return false;
  }
  one.forget(stream.taken());
  return good;
}

void bounded_server::serve_connection(waiting_room::connection_pointer one, request_head head) {
  const auto* const mine = &lane_of(head);
  while (true) {
    bool reusable = false;
    if (!serve_request(*one, head, reusable)) return;
    if (!reusable) return room_.let_go(std::move(one));
    if (one->arrived.empty() && (!sends_soon(*one) || !one->take())) break;
    auto next = one->next();
    auto* const whole = std::get_if<request_head>(&next);
    // Whoever waits for a thread comes before another request of who was just served.
    if (whole == nullptr || refusal_of(*whole) || &lane_of(*whole) != mine ||
        mine->threads.waiting() > 0)
      break;
    head = std::move(*whole);
  }
  // It is looked at there once more from its beginning.
  one->reader.begin();
  room_.give_back(std::move(one));
}

}  // namespace argosy::health
