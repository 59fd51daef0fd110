// SPDX-License-Identifier: Apache-2.0
// Goal: nothing is done for callers who have gone, and callers take turns at what takes long; and
// a connection waits for what happens next, and for nothing else. Method: connections without their
// threads: the test gives frames, and does what the workers would do when it wants.
#include "runtime/rpc/calls.hpp"

#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <future>
#include <latch>
#include <map>
#include <thread>

#include "runtime/bus/in_memory.hpp"
#include "runtime/rpc/connection.hpp"
#include "tests/support/nats/authority.hpp"
#include "tests/support/rpc/frames.hpp"

namespace argosy::rpc {

namespace {

namespace http2 = testing::http2;
using ::testing::ElementsAre;
using ::testing::SizeIs;

class rpc_connections : public ::testing::Test {
 protected:
  struct pair_of_ends {
    std::unique_ptr<connection> ours;
    std::unique_ptr<peer_socket> theirs;
  };

  rpc_connections() {
    config.api = broker.connect();
    config.methods = {{path, {"Submit.SubmitJobs", "argosy.api.Submit.SubmitJobs", false}},
                      {watch, {"Event.Watch", "argosy.api.Event.Watch", true}}};
    config.admit = [this](const caller&, const std::function<void(admission)>& then) {
      then({admission::kind::admitted, "", {{std::string{bus::header::user}, user}}});
    };
    config.reflect = [](std::string_view) { return std::string(1 << 20, 'x'); };
    const auto counted = [this](const bus::frame&) { ++requests; };
    served.push_back(api->serve("argosy.api.Submit.SubmitJobs", counted).value());
    served.push_back(api->serve("argosy.api.Event.Watch", counted).value());
  }
  ~rpc_connections() override {
    all.clear();
    served.clear();
    config.api->close();
    api->close();
  }

  /// A connection from the address 10.0.0.MACHINE.
  pair_of_ends& connect(connection_id id, std::uint8_t machine = 1,
                        server_certificate* security = nullptr) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
    const int much = 4 << 20;
    ::setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &much, sizeof much);
    sockaddr_storage from{};
    auto& address = reinterpret_cast<sockaddr_in&>(from);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(0x0a000000U + machine);
    peer_socket socket{ends[0], from};
    static_cast<void>(guests.add(id, socket.block()));
    auto post = [this, id](std::function<void(calls&)> what) {
      posted.emplace_back(id, std::move(what));
    };
    auto secured = security != nullptr ? security->accept(ends[0], now) : nullptr;
    auto& one = all[id];
    one.theirs = std::make_unique<peer_socket>(ends[1], from);
    one.ours = std::make_unique<connection>(room, std::move(socket), id, post, std::move(secured),
                                            later, now);
    return one;
  }
  /// The same of a client who has greeted and opened a call.
  pair_of_ends& call(connection_id id, const char* of = path, std::uint8_t machine = 1) {
    auto& one = connect(id, machine);
    give(id, http2::greeting() + open(1, of));
    return one;
  }
  void give(connection_id id, const std::string& bytes) {
    const auto& one = all.at(id);
    EXPECT_EQ(::send(one.theirs->number(), bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
    EXPECT_TRUE(one.ours->receive(buffer, now));
  }
  /// How many bytes the client finds.
  std::size_t take(connection_id id) {
    std::size_t out = 0;
    while (true) {
      const auto got = ::recv(all.at(id).theirs->number(), buffer.data(), buffer.size(), 0);
      if (got <= 0) return out;
      out += static_cast<std::size_t>(got);
    }
  }
  static std::string open(std::uint32_t call, const char* of = path) {
    return http2::frame(http2::headers, http2::end_headers, call, http2::call_block(of));
  }
  static std::string request(std::uint32_t call) {
    return http2::frame(http2::data, http2::end_stream, call, http2::message("x"));
  }
  static std::string reset(std::uint32_t call) {
    return http2::frame(http2::rst_stream, 0, call, http2::number(8));
  }
  /// Does all that the workers have to do, and what comes of it.
  void work() {
    while (!later.empty() || !posted.empty()) {
      for (auto& each : std::exchange(later, {})) {
        turns.push_back(each.caller);
        each.run();
      }
      for (auto& [id, what] : std::exchange(posted, {}))
        if (const auto found = all.find(id); found != all.end())
          what(found->second.ours->calls_at(now));
    }
  }

  static constexpr const char* path = "/api.Submit/SubmitJobs";
  static constexpr const char* watch = "/api.Event/Watch";
  static constexpr const char* large = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
  const boot_time now{1'000'000'000'000};
  bus::memory_broker broker{{.manual_time = false}};
  std::shared_ptr<bus::connection> api = broker.connect();
  std::string user = "ann";
  server_config config;
  std::vector<bus::subscription> served;
  std::atomic<int> requests = 0;
  guest_list guests{{.user_max = 1}};
  const call_room room{config, std::make_shared<worker_pool>(1), guests};
  std::vector<char> buffer = std::vector<char>(std::size_t{64} << 10);
  std::vector<worker_pool::task> later;
  std::vector<std::pair<connection_id, std::function<void(calls&)>>> posted;
  std::map<connection_id, pair_of_ends> all;
  std::vector<std::string> turns;
};

TEST_F(rpc_connections, have_nothing_asked_when_they_have_gone) {
  call(1);
  give(1, open(3) + open(5, watch) + open(7));
  work();
  give(1, request(1) + request(3));
  give(1, reset(1));
  work();
  while (requests == 0) std::this_thread::yield();
  give(1, request(5) + request(7));
  ASSERT_THAT(later, SizeIs(2));
  all.clear();
  work();
  EXPECT_EQ(requests, 1) << "the call that was neither reset nor left alone";
}

TEST_F(rpc_connections, have_the_turns_of_their_user_and_before_of_their_address) {
  call(1);
  call(2);
  call(3, path, 2);
  work();
  ASSERT_THAT(turns, SizeIs(3));
  EXPECT_EQ(turns[0], turns[1]);
  EXPECT_NE(turns[0], turns[2]);
  turns.clear();
  give(1, request(1));
  work();
  EXPECT_THAT(turns, ElementsAre("user ann"));
}

TEST_F(rpc_connections, without_a_name_are_those_of_their_machine) {
  user = "";
  call(1);
  call(2, path, 2);
  work();
  EXPECT_EQ(guests.known(), 2U) << "each has the one connection of his machine";
}

TEST_F(rpc_connections, beyond_those_of_a_user_are_closed_and_counted_until_then) {
  call(1);
  const auto& second = call(2);
  work();
  EXPECT_EQ(guests.known() + guests.strangers(), 2U);
  EXPECT_FALSE(second.ours->flush(now)) << "nothing is left to be sent";
  EXPECT_GT(take(2), 0U);
  EXPECT_TRUE(all.at(1).ours->flush(now));
}

TEST_F(rpc_connections, wait_to_send_on_when_one_turn_was_not_enough) {
  const auto& one = call(1, large);
  give(1, http2::frame(http2::window_update, 0, 0, http2::number(0x7f000000)) +
              http2::frame(http2::window_update, 0, 1, http2::number(0x7f000000)));
  work();
  give(1, http2::frame(http2::data, 0, 1, http2::message("x")));
  work();
  std::size_t taken = 0;
  while (true) {
    ASSERT_TRUE(one.ours->flush(now));
    const auto awaited = one.ours->awaits();
    taken += take(1);
    if (taken > std::size_t{1} << 20) break;
    ASSERT_TRUE((awaited & EPOLLOUT) != 0) << "nobody would go on after " << taken << " bytes";
  }
}

TEST_F(rpc_connections, wait_for_a_client_who_does_not_begin_to_encrypt) {
  const testing::authority authority{"IP:127.0.0.1"};
  const auto security = server_certificate::load(authority.certificate(), authority.key()).value();
  const auto& one = connect(1, 1, security.get());
  EXPECT_TRUE(one.ours->flush(now));
  EXPECT_EQ(one.ours->awaits(), std::uint32_t{EPOLLIN});
  EXPECT_TRUE(one.ours->receive(buffer, now));
  EXPECT_TRUE(one.ours->flush(now));
  EXPECT_EQ(one.ours->awaits(), std::uint32_t{EPOLLIN});
}

TEST(worker_pool, lets_callers_take_turns) {
  std::latch begun{1};
  std::promise<void> goes_on;
  std::latch done{5};
  std::vector<std::string> order;
  worker_pool pool{1};
  pool.submit({{"a", [&] {
                  begun.count_down();
                  goes_on.get_future().wait();
                }}});
  begun.wait();
  std::vector<worker_pool::task> tasks;
  for (const auto* name : {"a1", "a2", "a3", "a4", "b1"})
    tasks.push_back({std::string(1, name[0]), [&, name] {
                       order.emplace_back(name);
                       done.count_down();
                     }});
  pool.submit(std::move(tasks));
  goes_on.set_value();
  done.wait();
  EXPECT_THAT(order, ElementsAre("a1", "b1", "a2", "a3", "a4"));
}

TEST(worker_pool, drops_what_waits_when_it_stops) {
  std::latch begun{1};
  // What waits goes before the stop waits for what is at work, which ends only then.
  std::latch dropped{1};
  auto held = std::shared_ptr<void>{nullptr, [&](void*) { dropped.count_down(); }};
  std::atomic<bool> done = false;
  worker_pool pool{1};
  pool.submit({{"a", [&] {
                  begun.count_down();
                  dropped.wait();
                }}});
  begun.wait();
  pool.submit({{"a", [&done, held = std::move(held)] { done = true; }}});
  pool.stop();
  EXPECT_FALSE(done);
}

}  // namespace

}  // namespace argosy::rpc
