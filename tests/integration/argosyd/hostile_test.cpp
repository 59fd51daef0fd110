// SPDX-License-Identifier: Apache-2.0
// Goal: what is no request, is too large, or is dropped in the middle costs other callers nothing,
// and leaves nothing behind. Method: the real argosyd; raw bytes on sockets that stay open, and a
// client of gRPC. After each input somebody else is answered over every transport.
#include <gmock/gmock.h>

#include "messages/proto/api/event.pb.h"
#include "tests/support/process/deployment_fixture.hpp"
#include "tests/support/process/loopback.hpp"
#include "tests/unit/rpc/client.hpp"

namespace argosy::testing {

namespace {

using ::testing::HasSubstr;

/// A connection that stays open until the object ends.
class raw_connection {
 public:
  raw_connection(std::uint16_t port, const std::string& bytes)
      : socket_(tests::connect_loopback(port)) {
    EXPECT_GE(socket_, 0);
    // The server may close the connection before it has read all.
    for (std::size_t sent = 0; sent < bytes.size();) {
      const auto got = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (got <= 0) break;
      sent += static_cast<std::size_t>(got);
    }
  }
  raw_connection(const raw_connection&) = delete;
  raw_connection& operator=(const raw_connection&) = delete;
  ~raw_connection() { ::close(socket_); }

 private:
  int socket_;
};

std::uint16_t port_of(const std::string& url) {
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

TEST_F(hostile, bytes_that_are_no_request_delay_nobody) {
  const std::string preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  const std::string post = "POST /v1/job/submit HTTP/1.1\r\nHost: localhost\r\n";
  const auto http = port_of(world.health_url());
  const auto grpc = port_of(grpc_url);
  struct row {
    const char* what;
    std::uint16_t port;
    std::string bytes;
  };
  std::vector<std::unique_ptr<raw_connection>> open;
  for (const auto& [what, port, bytes] : std::vector<row>{
           {"half a preface", grpc, preface.substr(0, 9)},
           {"half a frame", grpc, preface + std::string("\0\0\x12\x04\0\0\0\0\0\x01", 10)},
           {"a frame of 16 MB", grpc, preface + std::string("\xff\xff\xff\x00\0\0\0\0\x01", 9)},
           {"HTTP/1.1 to gRPC", grpc, "GET / HTTP/1.1\r\n\r\n"},
           {"gRPC to HTTP/1.1", http, preface},
           {"half a line", http, "GET /liv"},
           {"half the headers", http, post},
           {"half a body", http, post + "Content-Length: 1000\r\n\r\n{\"queue\":"},
           {"a header of 1 MB", http, post + "X: " + std::string(1 << 20, 'x') + "\r\n\r\n"},
           {"a length below zero", http, post + "Content-Length: -1\r\n\r\n"},
           {"a chunk without an end", http,
            post + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nx"},
       }) {
    open.push_back(std::make_unique<raw_connection>(port, bytes));
    expect_that_others_are_answered(what);
  }
}

TEST_F(hostile, a_request_that_unpacks_to_much_more_is_refused_without_the_memory) {
  const auto before = status_of_server("VmHWM");
  rpc_call call{channel, "/api.Submit/SubmitJobs", std::string(std::size_t{256} << 20, '\0'),
                [](::grpc::ClientContext& context) {
                  context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
                }};
  EXPECT_FALSE(call.next());
  EXPECT_EQ(call.status().error_code(), ::grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_LT(status_of_server("VmHWM") - before, 128 << 10) << "kB";
  expect_that_others_are_answered("a request that unpacks to 256 MiB");
}

TEST_F(hostile, streams_that_are_dropped_leave_nothing) {
  api::JobSetRequest request;
  request.set_id("s");
  request.set_queue("q");
  request.set_watch(true);
  const auto drop = [&](int count) {
    for (int i = 0; i < count; ++i)
      rpc_call{channel, "/api.Event/GetJobSetEvents", request.SerializeAsString()};
  };
  drop(100);
  const auto threads = status_of_server("Threads");
  const auto memory = status_of_server("VmHWM");
  drop(500);
  EXPECT_LT(status_of_server("VmHWM") - memory, 32 << 10) << "kB for 500 streams";
  EXPECT_LE(status_of_server("Threads"), threads + 8);
  expect_that_others_are_answered("500 streams");
}

TEST_F(hostile, deep_and_long_bodies_are_refused_with_their_status) {
  struct row {
    const char* what;
    std::string body;
    const char* status;
  };
  const auto curl = [&](const std::string& path, const std::string& body) {
    launch how;
    how.words = {"/usr/bin/curl",
                 "-sS",
                 "--max-time",
                 "20",
                 "-o",
                 "/dev/null",
                 "-w",
                 "%{http_code}",
                 "--data-binary",
                 "@" + world.write("body", body),
                 world.health_url() + path};
    return run(how, world.folder(), std::chrono::seconds{30}).out;
  };
  for (const auto& [what, body, status] : std::vector<row>{
           {"an array in itself", std::string(10'000, '['), "400"},
           {"objects in each other",
            [] {
              std::string out;
              for (int i = 0; i < 10'000; ++i) out += "{\"a\":";
              return out;
            }(),
            "400"},
           {"5 MiB", std::string(5u << 20, ' '), "413"},
           {"no JSON", "\x01\x02\xff", "400"},
       }) {
    EXPECT_EQ(curl("/v1/job/submit", body), status) << what;
    expect_that_others_are_answered(what);
  }
  EXPECT_EQ(curl("/v1/nothing", "{}"), "404");
  EXPECT_EQ(curl("/v1/job/cancel/none/of/it", "{}"), "404");
}

}  // namespace

}  // namespace argosy::testing
