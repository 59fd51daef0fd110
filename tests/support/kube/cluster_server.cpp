// SPDX-License-Identifier: Apache-2.0
#include "tests/support/kube/cluster_server.hpp"

#include <httplib.h>

#include <atomic>
#include <thread>

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
    server.new_task_queue = [] { return new httplib::ThreadPool{48}; };
    const auto serve = [this](const httplib::Request& from, httplib::Response& to) {
      answer(request_of(from), to);
    };
    server.Get(".*", serve).Post(".*", serve).Delete(".*", serve);
    port = server.bind_to_any_port("127.0.0.1");
    thread = std::thread{[this] { server.listen_after_bind(); }};
    // A server that does not listen yet cannot be stopped.
    while (!server.is_running()) std::this_thread::yield();
  }
  ~parts() {
    ending = true;
    cluster.cut_watches(false);
    server.stop();
    thread.join();
  }
  parts(const parts&) = delete;
  parts& operator=(const parts&) = delete;

  void answer(const kube_request& what, httplib::Response& to) {
    // Everybody may do everything.
    if (what.path.ends_with("/selfsubjectaccessreviews")) {
      to.status = 201;
      to.set_content(R"({"status":{"allowed":true}})", "application/json");
      return;
    }
    if (!virtual_cluster::is_watch(what)) {
      const auto got = cluster.ask(what);
      to.status = got.status;
      to.set_content(got.body, "application/json");
      return;
    }
    const auto at = std::make_shared<kube_watch>(cluster.begin(what));
    to.set_chunked_content_provider("application/json",
                                    [this, at](std::size_t, httplib::DataSink& sink) {
                                      const auto lines = cluster.next(*at);
                                      if (lines.empty() || ending) {
                                        sink.done();
                                        return true;
                                      }
                                      return sink.write(lines.data(), lines.size());
                                    });
  }

  virtual_cluster& cluster;
  std::atomic<bool> ending = false;
  httplib::Server server;
  int port = 0;
  std::thread thread;
};

cluster_server::cluster_server(virtual_cluster& of) : parts_(std::make_unique<parts>(of)) {}

cluster_server::~cluster_server() = default;

std::string cluster_server::kubeconfig() const {
  return "apiVersion: v1\n"
         "kind: Config\n"
         "clusters: [{name: c, cluster: {server: \"http://127.0.0.1:" +
         std::to_string(parts_->port) +
         "\"}}]\n"
         "users: [{name: u, user: {token: secret}}]\n"
         "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
         "current-context: x\n";
}

}  // namespace argosy::testing
