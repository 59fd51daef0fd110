// SPDX-License-Identifier: Apache-2.0
// The real argosyd before callers who mean no good: raw connections, and a check that others are
// answered over every transport.
#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <string>

#include "tests/support/process/deployment_fixture.hpp"
#include "tests/support/process/loopback.hpp"
#include "tests/unit/rpc/client.hpp"

namespace argosy::testing {

/// A connection that stays open until the object ends.
class raw_connection {
 public:
  raw_connection(std::uint16_t port, const std::string& bytes)
      : socket_(tests::connect_loopback(port)) {
    EXPECT_GE(socket_, 0);
    send(bytes);
  }
  raw_connection(const raw_connection&) = delete;
  raw_connection& operator=(const raw_connection&) = delete;
  ~raw_connection() { ::close(socket_); }

  void send(const std::string& bytes) const {
    // The server may close the connection before it has read all.
    for (std::size_t sent = 0; sent < bytes.size();) {
      const auto got = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (got <= 0) break;
      sent += static_cast<std::size_t>(got);
    }
  }
  /// Waits until the server has sent so many bytes, and takes them.
  void wait_for(std::size_t size) const {
    for (char one = 0; size > 0 && ::recv(socket_, &one, 1, 0) == 1;) --size;
    EXPECT_EQ(size, 0U) << "the server has closed the connection";
  }

 private:
  int socket_;
};

inline std::uint16_t port_of(const std::string& url) {
  return static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
}

class hostile : public deployment_fixture {
 protected:
  void SetUp() override {
    start();
    const auto lines = lines_of(content_of(world.ready_file()));
    ASSERT_GE(lines.size(), 3U);
    grpc_url = lines[2].substr(lines[2].find("//") + 2);
    channel = ::grpc::CreateChannel(grpc_url, ::grpc::InsecureChannelCredentials());
  }

  void expect_that_others_are_answered(const std::string& after) const {
    EXPECT_EQ(page("/livez").first, "200") << after;
    rpc_call call{channel, "/argosy.v1.Access/WhoAmI", ""};
    EXPECT_TRUE(call.next()) << after;
    EXPECT_EQ(world.ctl({"whoami", "--timeout", "5s"}).code, 0) << after;
  }

  /// A number of /proc/PID/status, as "VmHWM" (in kB) or "Threads".
  long status_of_server(const std::string& name) const {
    for (const auto& line :
         lines_of(content_of("/proc/" + std::to_string(world.server.pid()) + "/status")))
      if (line.rfind(name + ":", 0) == 0) return std::stol(line.substr(name.size() + 1));
    return -1;
  }

  std::string grpc_url;
  std::shared_ptr<::grpc::Channel> channel;
};

}  // namespace argosy::testing
