// SPDX-License-Identifier: Apache-2.0
#include "tests/support/kube/cluster_server.hpp"

#include <httplib.h>

#include <atomic>
#include <thread>
#include <utility>

namespace argosy::testing {

namespace {

kube_request request_of(const httplib::Request& from) {
  kube_request out{from.method, from.path, {}, from.body, from.get_header_value("Impersonate-User"),
                   {}};
  for (const auto& [name, value] : from.params) out.query[name] = value;
  for (std::size_t i = 0; i < from.get_header_value_count("Impersonate-Group"); ++i)
    out.groups.push_back(from.get_header_value("Impersonate-Group", i));
  return out;
}

}  // namespace

struct cluster_server::parts {
  explicit parts(virtual_cluster& of) : cluster(of) {
    // Each connection that is kept holds a thread of the server.
    constexpr std::size_t threads = 96;
    server.new_task_queue = [] { return new httplib::ThreadPool{threads}; };
    const auto serve = [this](const httplib::Request& from, httplib::Response& to) {
      answer(request_of(from), to);
    };
    server.Get(".*", serve).Post(".*", serve).Put(".*", serve).Patch(".*", serve);
    server.Delete(".*", serve);
    port = server.bind_to_any_port("127.0.0.1");
    thread = std::thread{[this] { server.listen_after_bind(); }};
    // A server that does not listen yet cannot be stopped.
    while (!server.is_running()) std::this_thread::yield();
  }
  ~parts() {
    ending = true;
    link.end();
    cluster.cut_watches(false);
    server.stop();
    thread.join();
  }
  parts(const parts&) = delete;
  parts& operator=(const parts&) = delete;

  /// The connection ends in the midst of the answer: this library knows no other way.
  static void drop(httplib::Response& to) {
    constexpr std::size_t more_than_comes = 1;
    to.status = 502;
    to.set_content_provider(more_than_comes, "application/json",
                            [](std::size_t, std::size_t, httplib::DataSink&) { return false; });
  }

  static void set(const kube_answer& what, const std::string& date, httplib::Response& to) {
    to.status = what.status;
    to.set_header("Date", date);
    if (what.retry_after) to.set_header("Retry-After", std::to_string(what.retry_after->count()));
    to.set_content(what.body, "application/json");
  }

  kube_answer ask(const kube_request& what) {
    if (what.path.ends_with("/selfsubjectaccessreviews")) return cluster.refusals.review(what);
    if (what.path.ends_with("/selfsubjectrulesreviews")) return cluster.refusals.rules(what);
    return cluster.ask(what);
  }

  void answer(const kube_request& what, httplib::Response& to) {
    if (!link.carry_request(what)) return drop(to);
    if (what.path.ends_with("/log") && what.query.contains("follow")) return follow_log(what, to);
    if (!is_watch(what)) {
      const auto got = ask(what);
      return link.carry_answer(what) ? set(got, cluster.clock.date(), to) : drop(to);
    }
    if (const auto refused = cluster.refused(what)) return set(*refused, cluster.clock.date(), to);
    const auto at = std::make_shared<kube_watch>(cluster.begin(what));
    to.set_chunked_content_provider(
        "application/json", [this, at](std::size_t, httplib::DataSink& sink) {
          const auto lines = cluster.next(*at);
          const bool carried = link.carry_request(at->what) && link.carry_answer(at->what);
          if (lines.empty() || ending || !carried) {
            sink.done();
            return true;
          }
          return sink.write(lines.data(), lines.size());
        });
  }

  void follow_log(const kube_request& what, httplib::Response& to) {
    const auto at = std::make_shared<kube_log_place>(cluster.begin_log(what));
    const auto got = cluster.ask(what);
    if (got.status != 200 || !link.carry_answer(what)) {
      if (got.status != 200) return set(got, cluster.clock.date(), to);
      return drop(to);
    }
    const auto first = std::make_shared<std::string>(got.body);
    to.set_chunked_content_provider(
        "text/plain", [this, at, first](std::size_t, httplib::DataSink& sink) {
          auto more = first->empty() ? cluster.next(*at) : std::optional{std::exchange(*first, {})};
          if (!more || ending || !link.carry_answer(at->what)) {
            sink.done();
            return true;
          }
          return more->empty() || sink.write(more->data(), more->size());
        });
  }

  virtual_cluster& cluster;
  cluster_link link;
  std::atomic<bool> ending = false;
  httplib::Server server;
  int port = 0;
  std::thread thread;
};

cluster_server::cluster_server(virtual_cluster& of) : parts_(std::make_unique<parts>(of)) {}

cluster_server::~cluster_server() = default;

int cluster_server::port() const {
  return parts_->port;
}

cluster_link& cluster_server::link() {
  return parts_->link;
}

std::string cluster_server::kubeconfig(int port) const {
  return "apiVersion: v1\n"
         "kind: Config\n"
         "clusters: [{name: c, cluster: {server: \"http://127.0.0.1:" +
         std::to_string(port == 0 ? parts_->port : port) +
         "\"}}]\n"
         "users: [{name: u, user: {token: secret}}]\n"
         "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
         "current-context: x\n";
}

}  // namespace argosy::testing
