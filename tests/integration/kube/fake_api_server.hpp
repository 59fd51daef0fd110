// SPDX-License-Identifier: Apache-2.0
// A server of this process on loopback that answers as a test says, as the API server of a cluster
// would: at once, in pieces, too late or not to the end.
#pragma once

#include <httplib.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "tests/support/bus/waiting.hpp"

namespace argosy::kube::testing {

/// The body of an answer that is written while it is read.
class answer_stream {
 public:
  void write(const std::string& text) {
    change([&] { text_ += text; });
  }
  /// Ends the answer as it should end.
  void end() {
    change([&] { ended_ = true; });
  }
  /// Ends the connection instead.
  void cut() {
    change([&] { cut_ = true; });
  }

  /// Writes what is there to the client, once there is something; false ends the connection.
  bool pump(httplib::DataSink& to) {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return cut_ || ended_ || !text_.empty(); });
    if (!text_.empty() && !to.write(text_.data(), text_.size())) return false;
    text_.clear();
    if (cut_) return false;
    if (ended_) to.done();
    return true;
  }

 private:
  template <class Change>
  void change(Change how) {
    const std::lock_guard lock{mutex_};
    how();
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
  bool ended_ = false;
  bool cut_ = false;
};

class fake_api_server {
 public:
  using page = std::function<void(const httplib::Request&, httplib::Response&)>;

  /// Encrypts if it is given the files of a certificate and its key; with the file of an authority
  /// it wants clients to have certificates of it.
  explicit fake_api_server(page answer, const std::string& certificate = {},
                           const std::string& key = {}, const std::string& clients = {})
      : answer_(std::move(answer)) {
    if (certificate.empty())
      server_ = std::make_unique<httplib::Server>();
    else
      server_ = std::make_unique<httplib::SSLServer>(certificate.c_str(), key.c_str(),
                                                     clients.empty() ? nullptr : clients.c_str());
    url_ = certificate.empty() ? "http://127.0.0.1:" : "https://127.0.0.1:";
    // Each connection that is kept holds a thread of the server.
    server_->new_task_queue = [] { return new httplib::ThreadPool{64}; };
    const auto serve = [this](const httplib::Request& from, httplib::Response& to) {
      asked.add(from);
      answer_(from, to);
    };
    server_->Get(".*", serve).Post(".*", serve).Put(".*", serve).Delete(".*", serve);
    url_ += std::to_string(server_->bind_to_any_port("127.0.0.1"));
    thread_ = std::thread{[this] { server_->listen_after_bind(); }};
    // A server that does not listen yet cannot be stopped.
    while (!server_->is_running()) std::this_thread::yield();
  }
  ~fake_api_server() {
    {
      const std::lock_guard lock{mutex_};
      for (const auto& one : streams_) one->cut();
    }
    server_->stop();
    thread_.join();
  }
  fake_api_server(const fake_api_server&) = delete;
  fake_api_server& operator=(const fake_api_server&) = delete;

  [[nodiscard]] const std::string& url() const { return url_; }

  /// Has an answer be a stream, which is cut at the latest when the server ends.
  std::shared_ptr<answer_stream> stream(httplib::Response& to) {
    auto out = std::make_shared<answer_stream>();
    {
      const std::lock_guard lock{mutex_};
      streams_.push_back(out);
    }
    to.set_chunked_content_provider(
        "application/json",
        [out](std::size_t, httplib::DataSink& sink) { return out->pump(sink); });
    return out;
  }

  argosy::testing::collector<httplib::Request> asked;

 private:
  page answer_;
  std::unique_ptr<httplib::Server> server_;
  std::string url_;
  std::thread thread_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<answer_stream>> streams_;
};

}  // namespace argosy::kube::testing
