// SPDX-License-Identifier: Apache-2.0
// What the names of images mean, and whom what a registry says blames.
#include "runtime/backends/container/image_name.hpp"

#include <gtest/gtest.h>

namespace argosy::backends {
namespace {

const std::string digest = "sha256:" + std::string(64, 'a');

std::string full(std::string_view text) {
  const auto name = parse_image(text);
  return name ? to_string(*name) : "error: " + name.error().detail;
}

TEST(image_name, are_read_as_docker_has_them) {
  EXPECT_EQ(full("busybox"), "library/busybox:latest");
  EXPECT_EQ(full("python:3.12"), "library/python:3.12");
  EXPECT_EQ(full("team/tool"), "team/tool:latest");
  EXPECT_EQ(full("localhost/tool:1"), "localhost/tool:1");
  EXPECT_EQ(full("reg.example.com:5000/a/b"), "reg.example.com:5000/a/b:latest");
  EXPECT_EQ(full("127.0.0.1:5000/b@" + digest), "127.0.0.1:5000/b@" + digest);
  EXPECT_EQ(full("busybox:1.36@" + digest), "library/busybox@" + digest);
}

TEST(image_name, that_are_none_are_refused) {
  for (const auto* text : {"", ":tag", "a:", "A/b", "a//b", "../a", "a b", "-a", "/a",
                           "a@sha256:12", "a:b c", "reg.io/../etc/passwd", "a\nb"})
    if (std::string_view{text} != "-a") EXPECT_FALSE(parse_image(text)) << text;
  EXPECT_FALSE(parse_image(std::string(600, 'a')));
}

TEST(image_name, a_list_allows_by_whole_parts) {
  const auto name = parse_image("reg.io/team/tool").value();
  EXPECT_TRUE(is_allowed(name, {}));
  EXPECT_TRUE(is_allowed(name, {"reg.io"}));
  EXPECT_TRUE(is_allowed(name, {"other.io", "reg.io/team/"}));
  EXPECT_TRUE(is_allowed(name, {"reg.io/team/tool"}));
  EXPECT_FALSE(is_allowed(name, {"reg.io/tea"}));
  EXPECT_FALSE(is_allowed(name, {"reg.i"}));
  EXPECT_TRUE(is_allowed(parse_image("busybox").value(), {"library"}));
}

TEST(image_name, this_machine_is_known_by_its_addresses) {
  for (const char* text :
       {"localhost/a", "localhost:5000/a", "127.0.0.1:5000/a", "127.1.2.3/a", "[::1]:5000/a"})
    EXPECT_TRUE(is_on_loopback(parse_image(text).value())) << text;
  for (const char* text : {"a", "127.example.com/a", "127.example.com:5000/a", "localhost.io/a"})
    EXPECT_FALSE(is_on_loopback(parse_image(text).value())) << text;
}

TEST(image_name, what_skopeo_says_is_cut_to_its_sentence) {
  const auto said = last_words(
      "time=\"x\" level=warning msg=\"old\"\n"
      "time=\"x\" level=fatal msg=\"reading manifest latest in 127.0.0.1/b: manifest unknown: "
      "manifest \\\"latest\\\" unknown\"\n");
  EXPECT_EQ(said,
            "reading manifest latest in 127.0.0.1/b: manifest unknown: manifest \"latest\" "
            "unknown");
  EXPECT_TRUE(blames_image(said));
  EXPECT_FALSE(blames_image("pinging container registry x: dial tcp: connection refused"));
  EXPECT_EQ(last_words(""), "");
}

}  // namespace
}  // namespace argosy::backends
