// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/client/bus_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "bins/argosyctl/client/bus_stream.hpp"
#include "messages/codec/span_codec.hpp"
#include "messages/proto/argosy/trace.pb.h"
#include "messages/proto/argosy/v1.pb.h"
#include "runtime/access/identity.hpp"
#include "runtime/bus/caller_headers.hpp"
#include "runtime/trace/context.hpp"

namespace argosy::ctl {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t headers_size_max = 4'096;
constexpr std::size_t token_size_max = 16'384;

bool is_change(std::string_view method) {
  return method.starts_with("Submit.");
}

std::int64_t unix_nanos_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// Sends a request and waits for the answer, but not much longer than until `stop` is true.
result<bus::frame> ask(call_watch& calls, const std::string& subject, const std::string& data,
                       const bus::headers& headers, milliseconds timeout,
                       const std::function<bool()>& stop) {
  struct slot {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<result<bus::frame>> got;
  };
  auto answer = std::make_shared<slot>();
  calls.request(subject, data, headers, timeout, [answer](result<bus::frame> got) {
    const std::lock_guard lock{answer->mutex};
    answer->got = std::move(got);
    answer->changed.notify_one();
  });
  std::unique_lock lock{answer->mutex};
  while (!answer->got && !(stop && stop())) answer->changed.wait_for(lock, 50ms);
  if (!answer->got) return fail(ec::cancelled, "interrupted");
  return std::move(*answer->got);
}

}  // namespace

/// The spans of this client. Callbacks fill it, which may outlive the client.
class bus_client::span_list {
 public:
  void add(const trace::context& ctx, std::string_view verb, std::string_view method,
           std::int64_t start, bool failed) {
    trace::finished_span span;
    span.trace = ctx.trace;
    span.span = ctx.span;
    span.name = verb;
    span.process = "argosyctl";
    span.start_nanos = start;
    span.duration_nanos = unix_nanos_now() - start;
    span.failed = failed;
    span.attributes = {{"method", std::string{method}}};
    const std::lock_guard lock{mutex_};
    if (spans_.spans_size() < spans_max) codec::to_wire(span, *spans_.add_spans());
  }

  argosy::v1::ReportSpansRequest take() {
    const std::lock_guard lock{mutex_};
    return std::move(spans_);
  }

 private:
  static constexpr int spans_max = 1'000;
  std::mutex mutex_;
  argosy::v1::ReportSpansRequest spans_;
};

bus_client::bus_client(std::shared_ptr<bus::connection> connection, bus_client_options options)
    : connection_(std::move(connection)),
      options_(std::move(options)),
      self_(std::make_shared<bus::guarded<bus_client*>>(this)),
      spans_(std::make_shared<span_list>()),
      calls_(std::make_unique<call_watch>(connection_, who_serves())) {}

/// No two processes of a control plane began to lead at the same nanosecond.
call_watch::identity_source bus_client::who_serves() {
  static constexpr milliseconds patience{2'000};
  return [this](call_watch::identity_handler tell) {
    bus::headers headers;
    if (auto shown = show_token(headers); !shown) return tell(fail(std::move(shown.error())));
    connection_->request(subject_of("Query.GetVersion"), {}, headers, patience,
                         [tell = std::move(tell)](const result<bus::frame>& got) {
                           if (!got) return tell(fail(got.error()));
                           argosy::v1::GetVersionResponse about;
                           if (!about.ParseFromString(got->data))
                             return tell(fail(ec::corrupt, "the answer cannot be read"));
                           tell(std::to_string(about.started_ns()));
                         });
  };
}

bus_client::~bus_client() {
  self_->close();
}

std::string bus_client::subject_of(std::string_view method) const {
  if (asks_whole(method)) return access::whole_subject(options_.user, method);
  return options_.tenant ? access::tenant_subject(options_.user, method)
                         : access::api_subject(options_.user, method);
}

/// Whoever may not use the subject is told so at once, and then asks as everybody does.
bool bus_client::asks_whole(std::string_view method) const {
  return !options_.user.empty() && !options_.tenant && !not_whole_ &&
         (method == "Jobs.GetJobDetails" || method == "Query.DescribeJob");
}

result<void> bus_client::show_token(bus::headers& to) const {
  if (!options_.token) return {};
  auto token = options_.token();
  if (!token) return fail(std::move(token.error()));
  to.set(bus::proof_header, "Bearer " + *token);
  return {};
}

void bus_client::start_exchange(std::string_view method, std::string request, repeatable again,
                                const header_list& with, full_answer done) {
  auto ctx = trace::new_root();
  ctx.sampled = ctx.sampled && is_change(method);
  bus::headers headers;
  if (auto shown = show_token(headers); !shown) return done(fail(std::move(shown.error())));
  for (const auto& [name, value] : with) headers.set(name, value);
  headers.set(bus::header::traceparent, trace::format_traceparent(ctx));
  bus::reply_handler take = [ctx, spans = spans_, verb = options_.verb, name = std::string{method},
                             start = unix_nanos_now(),
                             done = std::move(done)](result<bus::frame> got) {
    if (ctx.sampled) spans->add(ctx, verb, name, start, !got.has_value());
    if (!got) return done(fail(std::move(got.error())));
    done(reply{std::move(got->data), {got->headers.begin(), got->headers.end()}});
  };
  if (asks_whole(method))
    take = [self = self_, name = std::string{method}, request, headers,
            take = std::move(take)](result<bus::frame> got) {
      const bool refused = !got && got.error().code == ec::denied;
      if (!refused || !self->run([&](auto* who) { who->ask_less(name, request, headers, take); }))
        take(std::move(got));
    };
  calls_->request(subject_of(method), request, headers, attempt_time(again, options_.timeout),
                  std::move(take));
}

void bus_client::ask_less(std::string_view method, const std::string& request,
                          const bus::headers& headers, bus::reply_handler take) {
  not_whole_ = true;
  calls_->request(subject_of(method), request, headers, options_.timeout, std::move(take));
}

result<reply> bus_client::exchange_within(milliseconds limit, const std::function<bool()>& stop,
                                          std::string_view method, const std::string& request,
                                          repeatable again, const header_list& with) {
  const auto begin = steady_clock::now();
  const auto deadline = begin + limit;
  auto ctx = trace::new_root();
  ctx.sampled = ctx.sampled && is_change(method);
  bus::headers headers;
  if (auto shown = show_token(headers); !shown) return fail(std::move(shown.error()));
  for (const auto& [name, value] : with) headers.set(name, value);
  headers.set(bus::header::traceparent, trace::format_traceparent(ctx));
  const auto started = unix_nanos_now();
  auto pause = 50ms;
  bool told = false;
  bool in_doubt = false;
  while (true) {
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - steady_clock::now());
    auto got = ask(*calls_, subject_of(method), request, headers, attempt_time(again, left), stop);
    if (!got && got.error().code == ec::denied && asks_whole(method)) {
      not_whole_ = true;
      continue;
    }
    in_doubt = in_doubt || (!got && perhaps_taken(got.error().code));
    const bool repeat = !got && (surely_refused(got.error().code) ||
                                 (again != repeatable::no && perhaps_taken(got.error().code)));
    if (!repeat || steady_clock::now() + pause >= deadline || (stop && stop())) {
      if (ctx.sampled) spans_->add(ctx, options_.verb, method, started, !got.has_value());
      if (got) return reply{std::move(got->data), {got->headers.begin(), got->headers.end()}};
      // An earlier attempt may have been taken, though nobody serves now.
      if (in_doubt && surely_refused(got.error().code)) got.error().code = ec::unreachable;
      if (got.error().code != ec::timeout) return fail(std::move(got.error()));
      return fail(ec::timeout, fmt::format("no answer to {} from {} within {} s (--timeout)",
                                           method, connection_->server(),
                                           static_cast<double>(options_.timeout.count()) / 1e3));
    }
    if (!told && options_.on_waiting && steady_clock::now() - begin > 1s) {
      options_.on_waiting();
      told = true;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, milliseconds{1'000});
  }
}

result<std::unique_ptr<stream_reader>> bus_client::open(std::string_view method,
                                                        std::string request) {
  bus::headers headers;
  if (auto shown = show_token(headers); !shown) return fail(std::move(shown.error()));
  return open_bus_stream(*connection_, subject_of(method), request, std::move(headers),
                         options_.timeout);
}

std::size_t bus_client::request_size_max() const {
  const auto all = connection_->max_payload();
  constexpr auto headers = headers_size_max + token_size_max;
  return all > 2 * headers ? all - headers : all / 2;
}

void bus_client::report_spans() {
  const auto report = spans_->take();
  if (report.spans_size() == 0) return;
  bus::headers headers;
  if (!show_token(headers)) return;
  static_cast<void>(connection_->request_sync(subject_of("Trace.ReportSpans"),
                                              report.SerializeAsString(), headers, 200ms));
}

}  // namespace argosy::ctl
