// SPDX-License-Identifier: Apache-2.0
// Goal: a request is known before it is served, has a bound in every direction, and cannot be read
// in two ways. Method: heads as bytes, whole and in pieces, against the reader alone.
#include "runtime/health/front/request_head.hpp"

#include <gtest/gtest.h>

#include "runtime/health/front/host_names.hpp"

namespace argosy::health {
namespace {

using framing = request_head::framing;

head_reader::outcome read(const std::string& bytes, head_bounds bounds = {}) {
  return head_reader{bounds}.look(bytes);
}

/// The status of a refusal; 200 for a whole head, 0 for one that is not whole.
int status(const std::string& bytes, head_bounds bounds = {}) {
  const auto got = read(bytes, bounds);
  if (const auto* why = std::get_if<head_refusal>(&got)) return why->status;
  return std::holds_alternative<request_head>(got) ? 200 : 0;
}

std::string get(const std::string& headers) {
  return "GET / HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n";
}

request_head head_of(const std::string& bytes) {
  const auto got = read(bytes);
  const auto* head = std::get_if<request_head>(&got);
  EXPECT_NE(head, nullptr) << bytes;
  return head == nullptr ? request_head{} : *head;
}

TEST(request_heads, say_what_is_asked_for_and_what_follows) {
  const auto got =
      head_of("POST /v1/x?y=%20 HTTP/1.1\r\nhOST:  a:80 \r\ncontent-length: 12\r\n\r\n{}");
  EXPECT_EQ(got.method, "POST");
  EXPECT_EQ(got.target, "/v1/x?y=%20");
  EXPECT_EQ(got.host, "a:80");
  EXPECT_EQ(got.body, framing::sized);
  EXPECT_EQ(got.length, 12U);
  EXPECT_EQ(got.bytes,
            std::string{"POST /v1/x?y=%20 HTTP/1.1\r\nhOST:  a:80 \r\ncontent-length: 12\r\n\r\n"}
                .size());
  EXPECT_FALSE(got.closes);
  EXPECT_EQ(head_of(get("Transfer-Encoding: Chunked\r\n")).body, framing::chunked);
  EXPECT_EQ(head_of(get("Content-Length: 0\r\n")).body, framing::none);
  EXPECT_TRUE(head_of(get("Connection: x, Close\r\n")).closes);
  EXPECT_TRUE(head_of("GET / HTTP/1.0\r\n\r\n").closes);
  EXPECT_FALSE(head_of("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n").closes);
  EXPECT_TRUE(head_of(get("Expect: 100-Continue\r\nContent-Length: 3\r\n")).waits);
  EXPECT_FALSE(head_of(get("Expect: 100-continue\r\n")).waits) << "there is nothing to wait with";
}

TEST(request_heads, keep_ranges_and_expectations_from_whoever_serves) {
  const auto whole =
      get("A: b\r\nrAnge: bytes=0-,0-\r\nRange: bytes=1-\r\nexpect: 100-continue\r\n"
          "If-Range: c\r\nContent-Length: 3\r\n");
  const auto got = head_of(whole + "{}");
  EXPECT_EQ(got.text, get("A: b\r\nIf-Range: c\r\nContent-Length: 3\r\n"));
  EXPECT_EQ(got.bytes, whole.size());
  EXPECT_TRUE(got.waits);
}

TEST(request_heads, are_whole_when_their_last_byte_is_there) {
  const auto whole = get("Accept: */*\r\n");
  head_reader reader{{}};
  for (std::size_t i = 0; i < whole.size(); ++i)
    EXPECT_TRUE(std::holds_alternative<std::monostate>(reader.look(whole.substr(0, i)))) << i;
  EXPECT_TRUE(std::holds_alternative<request_head>(reader.look(whole + "GET")));
}

TEST(request_heads, that_two_servers_could_read_differently_are_refused) {
  for (const auto* bad : {
           "Content-Length: 3\r\nContent-Length: 3\r\n",
           "Content-Length: 3\r\ncontent-length: 4\r\n",
           "Content-Length: 3, 3\r\n",
           "Content-Length: +3\r\n",
           "Content-Length: -1\r\n",
           "Content-Length: 0x3\r\n",
           "Content-Length: \r\n",
           "Content-Length: 99999999999999999999\r\n",
           "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
           "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
           "Transfer-Encoding : chunked\r\n",
           "A: b\r\n c\r\n",
           " A: b\r\n",
           "A\r\n",
           ": b\r\n",
           "A B: c\r\n",
           "A: b\nC: d\r\n",
           "A: b\rC: d\r\n",
           "A: \x01\r\n",
           "Host: b\r\n",
           "Authorization: a\r\nAuthorization: b\r\n",
           "Origin: a\r\nOrigin: b\r\n",
       })
    EXPECT_EQ(status(get(bad)), 400) << bad;
  EXPECT_EQ(status(get(std::string{"A: \0\r\n", 7})), 400);
  EXPECT_EQ(status(get("Transfer-Encoding: gzip, chunked\r\n")), 501);
  EXPECT_EQ(status(get("Transfer-Encoding: identity\r\n")), 501);
  EXPECT_EQ(status(get("Expect: 200-ok\r\n")), 417);
  EXPECT_EQ(status("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
}

TEST(request_heads, that_are_no_requests_are_refused_at_once) {
  for (const auto* bad : {"\r\n", "\n", "GET / HTTP/1.1\n", "GET /\r\n\r\n", "/ HTTP/1.1\r\n\r\n",
                          "GET  HTTP/1.1\r\n\r\n", "GET / a HTTP/1.1\r\n\r\n",
                          "GET a HTTP/1.1\r\n\r\n", "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
                          "G@T / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
                          "GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n", "GET / http/1.1\r\n\r\n"})
    EXPECT_EQ(status(bad), 400) << bad;
  EXPECT_EQ(status("PRI * HTTP/2.0\r\n\r\nSM"), 505);
}

TEST(request_heads, have_a_bound_before_they_are_whole) {
  EXPECT_EQ(status("GET /" + std::string(9'000, 'a')), 414);
  const auto asks = [](int parameters) {
    std::string out = "GET /?";
    for (int i = 1; i < parameters; ++i) out += "a&";
    return out + "a HTTP/1.1\r\nHost: a\r\n\r\n";
  };
  EXPECT_EQ(status(asks(256)), 200);
  EXPECT_EQ(status(asks(257)), 414);
  EXPECT_EQ(status("GET / HTTP/1.1\r\nA: " + std::string(9'000, 'a')), 431);
  std::string many = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (int i = 0; i < 99; ++i) many += "A: b\r\n";
  EXPECT_EQ(status(many + "\r\n"), 200);
  EXPECT_EQ(status(many + "A: b\r\nA"), 431);
  std::string large = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 5; ++i) large += "A: " + std::string(7'000, 'a') + "\r\n";
  EXPECT_EQ(status(large), 431);
}

TEST(host_names, can_be_set_anew_but_for_those_that_stay) {
  host_names names{{"old.example.com"}};
  names.keep("Own");
  EXPECT_TRUE(names.has("old.example.com:80"));
  names.set({"new.example.com"});
  EXPECT_FALSE(names.has("old.example.com"));
  EXPECT_TRUE(names.has("new.example.com"));
  EXPECT_TRUE(names.has("own:8080"));
  EXPECT_TRUE(names.has("localhost"));
}

TEST(host_names, have_the_full_name_of_this_machine_beside_the_short_one) {
  host_names names;
  keep_machine(names, "vm", [](const std::string& name) { return name + ".Example.com"; });
  EXPECT_TRUE(names.has("vm:9480"));
  EXPECT_TRUE(names.has("vm.example.com:9480"));
  host_names alone;
  keep_machine(alone, "vm", [](const std::string&) { return std::string{}; });
  EXPECT_TRUE(alone.has("vm"));
  EXPECT_FALSE(alone.has("vm.example.com"));
  EXPECT_EQ(full_name_of("no such name"), "");
}

TEST(host_names, are_addresses_this_machine_and_those_that_are_configured) {
  const host_names names{{"Argosy.example.com", "short"}};
  for (const auto* good :
       {"", "localhost", "LOCALHOST:9480", "127.0.0.1", "10.1.2.3:80", "[::1]:80", "[2001:db8::1]",
        "argosy.example.com", "argosy.EXAMPLE.com.:80", "short:1"})
    EXPECT_TRUE(names.has(good)) << good;
  for (const auto* bad : {"evil.example", "evil.example:9480", "127.0.0.1.evil.example",
                          "localhost.evil.example", "1.2.3", "argosy.example.com.evil", "xshort",
                          "[evil.example]:80", "127.0.0.1:80:90", "2130706433"})
    EXPECT_FALSE(names.has(bad)) << bad;
}

}  // namespace
}  // namespace argosy::health
