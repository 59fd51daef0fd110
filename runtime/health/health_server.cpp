// SPDX-License-Identifier: Apache-2.0
#include "runtime/health/health_server.hpp"

#include <prometheus/collectable.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "runtime/base/check.hpp"
#include "runtime/border/host_and_port.hpp"
#include "runtime/health/bounded_server.hpp"
#include "runtime/health/metrics.hpp"
#include "runtime/health/shared_text.hpp"

namespace argosy::health {

namespace {

/// How long a reader of the trace waits for the reader before.
constexpr std::chrono::seconds trace_waits_for{10};

/// A probe that throws has failed.
result<void> ask(const check& item) {
  try {
    return item.probe();
  } catch (const std::exception& thrown) {
    return fail(ec::internal, thrown.what());
  }
}

void answer_checks(const std::vector<check>& checks, const httplib::Request& request,
                   httplib::Response& response) {
  const auto range = request.params.equal_range("exclude");
  const auto excluded = [&](const std::string& name) {
    return std::any_of(range.first, range.second,
                       [&](const auto& parameter) { return parameter.second == name; });
  };
  std::string list;
  std::string failed;
  for (auto at = range.first; at != range.second; ++at)
    if (std::ranges::find(checks, at->second, &check::name) == checks.end())
      list += "[?] there is no check '" + at->second.substr(0, 40) + "' to exclude\n";
  const auto unknown = list;
  for (const auto& item : checks) {
    if (excluded(item.name)) {
      list += "[-] " + item.name + " excluded\n";
      continue;
    }
    const auto holds = ask(item);
    const auto line = holds ? "[+] " + item.name + " ok\n"
                            : "[x] " + item.name + " failed: " + to_string(holds.error()) + '\n';
    list += line;
    if (!holds) failed += line;
  }
  response.status = failed.empty() ? 200 : 503;
  const bool verbose = request.has_param("verbose");
  std::string text = failed.empty() ? "ok\n" : "not ok\n";
  response.set_content((verbose ? list : unknown + failed) + text, "text/plain; charset=utf-8");
}

/// Adds the names by which this server may always be called.
void keep_own(const server_config& config) {
  if (const auto where = read_host_and_port(config.listen)) config.names->keep(where->host);
  std::array<char, 256> own{};
  if (::gethostname(own.data(), own.size() - 1) == 0) keep_machine(*config.names, own.data());
}

bounded_server::config border_of(const server_config& from) {
  bounded_server::config out;
  out.bounds = from.bounds;
  keep_own(from);
  out.names = from.names;
  out.admits = from.admits;
  if (!from.more) return out;
  out.is_call = [more = from.more](const request_head& head) { return more->is_call(head.target); };
  out.takes_body = [more = from.more](const request_head& head) {
    return more->takes_body(head.method, head.target);
  };
  return out;
}

}  // namespace

struct server::impl {
  explicit impl(server_config wanted) : config(std::move(wanted)), http(border_of(config)) {
    define_routes();
  }

  ~impl() {
    if (!thread.joinable()) return;
    if (config.more) config.more->stop();
    http.end();
    thread.join();
  }

  void define_routes() {
    // SO_REUSEPORT, which the library would set, lets two servers share one port unnoticed.
    http.set_socket_options([](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    http.set_payload_max_length(config.bounds.body_max);
    const auto live = [this](const auto& request, auto& response) {
      answer_checks(config.live, request, response);
    };
    http.Get("/livez", live);
    http.Get("/healthz", live);
    // Armada has its check of health there, which has no body while all is well.
    http.Get("/health", [this](const auto& request, auto& response) {
      answer_checks(config.live, request, response);
      if (response.status != 200) return;
      response.status = 204;
      response.body.clear();
      response.headers.erase("Content-Type");
    });
    http.Get("/readyz", [this](const auto& request, auto& response) {
      answer_checks(config.ready, request, response);
    });
    http.Get("/metrics", [this](const auto&, auto& response) { answer_metrics(response); });
    if (config.status)
      http.Get("/status", [this](const auto&, auto& response) {
        response.set_content(*status.get(), "application/json");
      });
    if (config.recent_trace)
      http.Get("/debug/trace",
               [this](const auto& request, auto& response) { answer_trace(request, response); });
    if (config.more) config.more->add_to(http);
    http.set_error_handler([this](const auto&, auto& response) {
      if (response.status == 404 && response.body.empty())
        response.set_content(config.status ? "there are /metrics, /status, /livez, /readyz\n"
                                           : "there are /metrics, /livez, /readyz\n",
                             "text/plain");
    });
  }

  /// What the last seconds were is there already, so that nobody has to wait.
  void answer_trace(const httplib::Request& request, httplib::Response& response) {
    constexpr int seconds_max = 3'600;
    int seconds = 5;
    if (request.has_param("seconds")) {
      const auto text = request.get_param_value("seconds");
      const auto* end = text.data() + text.size();
      const auto [stop, code] = std::from_chars(text.data(), end, seconds);
      if (code != std::errc{} || stop != end || seconds < 1 || seconds > seconds_max) {
        response.status = 400;
        response.set_content("seconds is a number from 1 to 3600\n", "text/plain");
        return;
      }
    }
    // Who has read one trace to its end may ask for the next before this server has seen the end.
    auto alone = std::make_shared<std::unique_lock<std::timed_mutex>>(tracing, trace_waits_for);
    if (!alone->owns_lock()) {
      response.status = 503;
      response.set_content("somebody else reads the trace; try again in a second\n", "text/plain");
      return;
    }
    const auto text =
        std::make_shared<const std::string>(config.recent_trace(std::chrono::seconds{seconds}));
    response.set_content_provider(
        text->size(), "application/json",
        [text](std::size_t at, std::size_t size, httplib::DataSink& sink) {
          return sink.write(text->data() + at, size);
        },
        [alone](bool) { alone->unlock(); });
  }

  void answer_metrics(httplib::Response& response) {
    response.set_content(*metrics.get(), "text/plain; version=0.0.4; charset=utf-8");
  }

  result<void> listen() {
    const auto where = read_host_and_port(config.listen);
    if (!where)
      return fail(ec::invalid_argument, "cannot listen on '" + config.listen +
                                            "'; write HOST:PORT, for example 127.0.0.1:9090");
    const bool any = where->port == 0;
    const int bound = any ? http.bind_to_any_port(where->host)
                          : (http.bind_to_port(where->host, where->port) ? where->port : -1);
    if (bound <= 0)
      return fail(ec::already_exists, "cannot listen on " + config.listen +
                                          ": the address is not of this machine or in use");
    port = static_cast<std::uint16_t>(bound);
    const bool v6 = where->host.find(':') != std::string::npos;
    url = "http://" + (v6 ? '[' + where->host + ']' : where->host) + ':' + std::to_string(port);
    thread = std::thread{[this] { http.serve(); }};
    return {};
  }

  server_config config;
  shared_text metrics{[this] { return metrics_text(config.metrics); }};
  shared_text status{[this] { return config.status(); }};
  std::timed_mutex tracing;  ///< One trace, which may be large, is made and sent at a time.
  bounded_server http;
  std::thread thread;
  std::uint16_t port = 0;
  std::string url;
};

result<std::unique_ptr<server>> server::start(server_config config) {
  for (const auto* checks : {&config.live, &config.ready})
    for (const auto& item : *checks) ARGOSY_CHECK(item.probe != nullptr);
  auto held = std::make_unique<impl>(std::move(config));
  if (auto ok = held->listen(); !ok) return fail(std::move(ok.error()));
  return std::unique_ptr<server>{new server{std::move(held)}};
}

server::server(std::unique_ptr<impl> held) : impl_(std::move(held)) {}

server::~server() = default;

std::uint16_t server::port() const noexcept {
  return impl_->port;
}

const std::string& server::url() const noexcept {
  return impl_->url;
}

}  // namespace argosy::health
