// SPDX-License-Identifier: Apache-2.0
// Goal: only who has the key makes bytes that pass, and a signed batch stays readable. Method: a
// signed batch, changed in all its bytes.
#include "messages/codec/log/batch_mac.hpp"

#include <gtest/gtest.h>

#include "messages/codec/log/log_codec.hpp"
#include "tests/support/eventlog/test_key.hpp"

namespace argosy::codec {
namespace {

std::string signed_batch(const log_key& key) {
  model::log_batch batch;
  batch.epoch = {3};
  batch.number = 4;
  batch.events.push_back({1, "q", model::queue_deleted{}});
  auto bytes = encode_batch(batch);
  key.sign(bytes);
  return bytes;
}

TEST(batch_mac, is_known_by_its_key_alone) {
  const auto key = tests::test_key();
  const auto bytes = signed_batch(*key);
  EXPECT_TRUE(key->signed_by_this(bytes));
  EXPECT_FALSE(tests::test_key("another")->signed_by_this(bytes));
  EXPECT_NE(key->print(), tests::test_key("another")->print());
  EXPECT_EQ(key->print(), tests::test_key()->print());
}

TEST(batch_mac, covers_every_byte) {
  const auto key = tests::test_key();
  const auto bytes = signed_batch(*key);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    auto changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(key->signed_by_this(changed)) << i;
    EXPECT_FALSE(key->signed_by_this(bytes.substr(0, i))) << i;
  }
  EXPECT_FALSE(key->signed_by_this(bytes + "x"));
}

TEST(batch_mac, leaves_the_batch_readable) {
  const auto batch = decode_batch(signed_batch(*tests::test_key()));
  ASSERT_TRUE(batch);
  EXPECT_TRUE(batch->has_mac);
  EXPECT_EQ(batch->number, 4u);
  EXPECT_FALSE(decode_batch(encode_batch(*batch))->has_mac);
}

TEST(batch_mac, a_key_of_another_size_is_refused_with_its_place) {
  const auto key = log_key::from_bytes("short", "/some/log.key");
  ASSERT_FALSE(key);
  EXPECT_EQ(key.error().code, ec::corrupt);
  EXPECT_NE(key.error().detail.find("/some/log.key has 5 bytes"), std::string::npos);
}

}  // namespace
}  // namespace argosy::codec
