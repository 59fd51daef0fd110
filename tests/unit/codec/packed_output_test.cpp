// SPDX-License-Identifier: Apache-2.0
// Goal: packed output comes out as it went in, and no answer makes whoever reads it take more
// memory than an output may have. Method: texts and noise are packed; frames are spoilt.
#include "messages/codec/packed_output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "messages/codec/agent/agent_codec.hpp"

namespace argosy::codec {
namespace {

std::string lines(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += "step " + std::to_string(i) + " of the training\n";
  return out;
}

/// How the output arrives at whoever can unpack it.
model::log_chunk chunk_of(std::string data, bool packs = true) {
  model::log_chunk out;
  out.data = std::move(data);
  return decode_log_chunk(encode(out, packs)).value();
}

TEST(packed_output, comes_out_as_it_went_in) {
  const auto data = lines(20'000);
  const auto chunk = chunk_of(data);
  EXPECT_TRUE(chunk.packed);
  EXPECT_LT(chunk.data.size(), data.size() / 4);
  const auto arrived = decode_log_chunk(encode(chunk));
  ASSERT_TRUE(arrived);
  EXPECT_TRUE(arrived->packed);
  EXPECT_EQ(unpack_output(arrived->data), data);
  EXPECT_EQ(unpack_output(decode_log_chunk(encode(chunk, true))->data), data) << "packed once";
  EXPECT_FALSE(chunk_of(data, false).packed);
  EXPECT_EQ(chunk_of(data, false).data, data);
}

TEST(packed_output, is_left_as_it_is_if_that_is_hardly_larger) {
  std::mt19937 random{1};
  std::string noise(100'000, '\0');
  for (auto& each : noise) each = static_cast<char>(random());
  for (const auto& data : {std::string{}, lines(3), noise}) {
    const auto chunk = chunk_of(data);
    EXPECT_FALSE(chunk.packed);
    EXPECT_EQ(chunk.data, data);
  }
}

TEST(packed_output, of_more_than_an_answer_has_is_refused) {
  auto chunk = chunk_of(std::string(model::log_chunk_bytes_max, 'x'));
  EXPECT_EQ(unpack_output(chunk.data)->size(), model::log_chunk_bytes_max);
  chunk = chunk_of(std::string(model::log_chunk_bytes_max + 1, 'x'));
  EXPECT_EQ(unpack_output(chunk.data).error().code, ec::corrupt);
}

TEST(packed_output, that_is_spoilt_is_refused_or_comes_out_with_a_bound) {
  const auto chunk = chunk_of(lines(2'000));
  EXPECT_FALSE(unpack_output(""));
  EXPECT_FALSE(unpack_output("output that nobody packed"));
  EXPECT_FALSE(unpack_output(std::string_view{chunk.data}.substr(0, chunk.data.size() - 1)));
  for (std::size_t i = 0; i < chunk.data.size(); ++i) {
    auto spoilt = chunk.data;
    spoilt[i] = static_cast<char>(spoilt[i] ^ 0x41);
    const auto got = unpack_output(spoilt);
    if (got) EXPECT_LE(got->size(), model::log_chunk_bytes_max);
  }
}

}  // namespace
}  // namespace argosy::codec
