// SPDX-License-Identifier: Apache-2.0
// Goal: what is unpacked is what it says it is, is counted as its caller's, and is never more than
// there is room for. Method: the functions alone, with packed bytes that lie.
#include "runtime/rpc/session/packing.hpp"

#include <gmock/gmock.h>

#include "runtime/rpc/calls.hpp"
#include "runtime/rpc/session/byte_pool.hpp"

namespace argosy::rpc {
namespace {

constexpr std::size_t size_max = 4'000'000;

std::string zeros(std::size_t size) {
  return std::string(size, '\0');
}

request packed(std::size_t size, const std::shared_ptr<byte_pool>& pool) {
  request out{*pack(zeros(size)), true};
  out.pool = pool;
  return out;
}

TEST(packing, unpacks_what_it_says_and_no_more) {
  const auto bytes = *pack(zeros(size_max));
  EXPECT_EQ(unpacked_size(bytes), size_max);
  std::string out;
  EXPECT_TRUE(unpack(bytes, size_max, out).ok());
  EXPECT_EQ(out, zeros(size_max));
  EXPECT_LT(out.capacity(), size_max + size_max / 4) << "it was not doubled on the way";
  EXPECT_EQ(unpack(bytes, size_max - 1, out).code, status_code::resource_exhausted);
  EXPECT_EQ(unpacked_size("abc"), 0U);
  EXPECT_EQ(unpack("", size_max, out).code, status_code::invalid_argument);
  EXPECT_FALSE(unpack(bytes.substr(0, bytes.size() / 2), size_max, out).ok());
}

TEST(packing, is_not_believed_that_there_is_less) {
  auto bytes = *pack(zeros(size_max));
  for (std::size_t i = 4; i > 0; --i) bytes[bytes.size() - i] = 0;
  bytes[bytes.size() - 4] = 100;
  std::string out;
  EXPECT_EQ(unpack(bytes, size_max, out).code, status_code::invalid_argument);
  EXPECT_LE(out.size(), 100U);
}

TEST(packing, counts_what_is_unpacked_as_the_callers_own) {
  const auto pool = std::make_shared<byte_pool>(2 * size_max);
  std::string out;
  auto first = packed(size_max, pool);
  EXPECT_EQ(pool->taken(), 0U);
  EXPECT_TRUE(read_request(first, size_max, out).ok());
  EXPECT_EQ(pool->taken(), size_max);
  {
    auto second = packed(size_max, pool);
    EXPECT_TRUE(read_request(second, size_max, out).ok());
    auto third = packed(size_max, pool);
    const auto refused = read_request(third, size_max, out);
    EXPECT_EQ(refused.code, status_code::resource_exhausted);
    EXPECT_EQ(refused.message, too_much_waits().message);
    EXPECT_EQ(pool->taken(), 2 * size_max);
  }
  EXPECT_EQ(pool->taken(), size_max) << "two of them have gone";
  request plain{"abc"};
  EXPECT_TRUE(read_request(plain, size_max, out).ok());
  EXPECT_EQ(out, "abc");
}

}  // namespace
}  // namespace argosy::rpc
