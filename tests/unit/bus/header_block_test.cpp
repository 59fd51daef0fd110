// SPDX-License-Identifier: Apache-2.0
// Goal: headers that the library would read in part are told from those that it reads.
// Method: tables of blocks, good and bad.
#include "runtime/bus/nats/header_block.hpp"

#include <gtest/gtest.h>

#include <string>

namespace argosy::bus {
namespace {

TEST(header_block, is_of_whole_lines) {
  for (const std::string good :
       {"NATS/1.0\r\n\r\n", "NATS/1.0 503\r\n\r\n", "NATS/1.0\r\na: b\r\nc:\r\n\r\n",
        "NATS/1.0\r\na:b:\t\u00e4 \r\n\r\n"})
    EXPECT_TRUE(is_header_block(good)) << good;
  for (const std::string bad : {"", "NATS/1.0", "NATS/1.0\r\n", "NATS/1.1\r\n\r\n", "\r\n\r\n",
                                "NATS/1.0\n\n", "NATS/1.0\r\na: b", "NATS/1.0\r\na: b\r\n",
                                "NATS/1.0\r\na b\r\n\r\n", "NATS/1.0\r\na b\r\nc: d\r\n\r\n",
                                "NATS/1.0\r\na: b\r\n c: d\r\n\r\n", "NATS/1.0\r\n: b\r\n\r\n",
                                "NATS/1.0\r\na: b\nc: d\r\n\r\n", "NATS/1.0\r\na: b\rc: d\r\n\r\n",
                                "NATS/1.0\r\n\r\na: b\r\n\r\n", "NATS/1.0\r\na: b\r\n\r\nc"})
    EXPECT_FALSE(is_header_block(bad)) << bad;
  EXPECT_FALSE(is_header_block(std::string("NATS/1.0\r\na: b\0\r\n\r\n", 19)));
}

}  // namespace
}  // namespace argosy::bus
