// SPDX-License-Identifier: Apache-2.0
// Goal: what is no request, is too large, or is dropped in the middle costs other callers nothing,
// and leaves nothing behind. Method: the real argosyd; raw bytes on sockets that stay open, and a
// client of gRPC. After each input somebody else is answered over every transport.
#include <gmock/gmock.h>

#include <random>

#include "messages/proto/api/event.pb.h"
#include "tests/integration/hostile/hostile_fixture.hpp"

namespace argosy::testing {

namespace {

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
    for (int i = 0; i < count; ++i) {
      rpc_call{channel, "/api.Event/GetJobSetEvents", request.SerializeAsString()};
      // The server is to have ended these before there are more, or what is measured is how many
      // of them wait for it.
      if (i % 50 != 0) continue;
      rpc_call answered{channel, "/argosy.v1.Access/WhoAmI", ""};
      EXPECT_TRUE(answered.next());
    }
  };
  // The allocator keeps what the first ones took.
  drop(10'000);
  const auto threads = status_of_server("Threads");
  const auto memory = status_of_server("VmHWM");
  drop(5'000);
  EXPECT_LT(status_of_server("VmHWM") - memory, 32 << 10) << "kB for 5,000 streams";
  EXPECT_LE(status_of_server("Threads"), threads + 8);
  expect_that_others_are_answered("15,000 streams");
}

TEST_F(hostile, readers_who_never_read_hold_little_and_delay_nobody) {
  ASSERT_EQ(world.ctl({"queue", "create", "q"}).code, 0);
  // A whole set has 4 MB of events, which would be 800 MB if they waited for each reader. They do
  // not pack well.
  std::mt19937 random{7};
  std::vector<job_text> jobs(400, {": ", {}, {}, "4096"});
  for (auto& job : jobs)
    for (int i = 0; i < 10'000; ++i)
      job.command.push_back(static_cast<char>((i % 2 == 0 ? 'a' : 'A') + random() % 26));
  ASSERT_EQ(world.submit(jobs).size(), jobs.size());
  const auto before = status_of_server("VmHWM");
  ::grpc::ChannelArguments own;
  own.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  own.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  own.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 64 << 10);
  const auto stuck =
      ::grpc::CreateCustomChannel(grpc_url, ::grpc::InsecureChannelCredentials(), own);
  api::JobSetRequest request;
  request.set_id("s");
  request.set_queue("q");
  request.set_watch(true);
  std::vector<std::unique_ptr<rpc_call>> watches;
  std::vector<std::unique_ptr<raw_connection>> pages;
  const std::string body = "{\"watch\":true}";
  for (int i = 0; i < 160; ++i)
    watches.push_back(std::make_unique<rpc_call>(stuck, "/api.Event/GetJobSetEvents",
                                                 request.SerializeAsString()));
  for (int i = 0; i < 40; ++i)
    pages.push_back(std::make_unique<raw_connection>(
        port_of(world.health_url()),
        "POST /v1/job-set/q/s HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
            std::to_string(body.size()) + "\r\n\r\n" + body));
  for (int i = 0; i < 3; ++i) expect_that_others_are_answered("readers who never read");
  // Somebody else who watches the same set has all of it.
  const auto seen = world.ctl({"get", "jobsets", "-q", "q", "-o", "json"});
  EXPECT_EQ(seen.code, 0);
  rpc_call reading{channel, "/api.Event/GetJobSetEvents", [&] {
                     request.set_watch(false);
                     return request.SerializeAsString();
                   }()};
  EXPECT_EQ(reading.rest().size(), 800U);
  EXPECT_LT(status_of_server("VmHWM") - before, 160 << 10) << "kB";
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
