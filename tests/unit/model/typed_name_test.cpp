// SPDX-License-Identifier: Apache-2.0
// Goal: a name of one kind never passes for one of another, and costs nothing where it is a text.
// Method: what must not compile is asked of the compiler; maps are looked up by names and texts.
#include <gtest/gtest.h>

#include <map>
#include <type_traits>

#include "runtime/model/identifiers.hpp"

namespace argosy::model {
namespace {

template <class A, class B>
concept comparable = requires(const A& a, const B& b) {
  a == b;
}
|| requires(const A& a, const B& b) {
  a < b;
};

static_assert(!std::is_constructible_v<queue_name, cluster_name>);
static_assert(!std::is_assignable_v<queue_name&, cluster_name>);
static_assert(!comparable<queue_name, cluster_name>);
static_assert(!std::is_convertible_v<std::string, queue_name>);
static_assert(!std::is_convertible_v<std::string_view, queue_name>);
static_assert(!std::is_convertible_v<const char*, queue_name>);
static_assert(!std::is_convertible_v<char (&)[2], queue_name>, "a buffer is no literal");
static_assert(std::is_convertible_v<const char (&)[2], queue_name>);
static_assert(std::is_convertible_v<queue_name, std::string>);
static_assert(std::is_convertible_v<queue_name, std::string_view>);

TEST(typed_name, is_compared_and_found_as_a_text) {
  std::map<queue_name, int, std::less<>> numbers;
  numbers["b"] = 1;
  EXPECT_EQ(numbers.find(std::string_view{"b"})->second, 1);
  EXPECT_EQ(numbers.begin()->first, "b");
  EXPECT_LT(std::string{"a"}, numbers.begin()->first);
  EXPECT_EQ("queue " + queue_name{std::string{"b"}} + ".", "queue b.");
}

}  // namespace
}  // namespace argosy::model
