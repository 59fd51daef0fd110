// SPDX-License-Identifier: Apache-2.0
// Goal: the list of a backup comes back as it was written, and nothing else is taken for one.
// Method: lists that are printed, changed by a line and parsed.
#include "bins/argosyd/upkeep/manifest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace argosy::argosyd {
namespace {

using ::testing::HasSubstr;

backup_manifest example() {
  backup_manifest out;
  out.time_ns = 1'700'000'000'123'456'789;
  out.generation = {2};
  out.epoch = {7};
  out.position = {123'456};
  out.hash = 0xfedcba9876543210;
  out.control_plane = "0123456789abcdef";
  out.files = {{"store/data.mdb", 4'096, std::string(64, 'a')},
               {"log.key", 32, std::string(64, '0')}};
  return out;
}

std::string with(const std::string& from, const std::string& to) {
  auto text = print_manifest(example());
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(backup_manifest, comes_back_as_it_was_written) {
  const auto read = parse_manifest(print_manifest(example()));
  ASSERT_TRUE(read) << read.error().detail;
  EXPECT_EQ(*read, example());
}

TEST(backup_manifest, of_a_control_plane_without_an_id_comes_back) {
  auto young = example();
  young.control_plane.clear();
  EXPECT_EQ(parse_manifest(print_manifest(young)).value(), young);
}

TEST(backup_manifest, that_was_cut_short_at_any_byte_is_refused) {
  const auto text = print_manifest(example());
  for (std::size_t size = 0; size + 1 < text.size(); ++size)
    EXPECT_FALSE(parse_manifest(text.substr(0, size))) << text.substr(0, size);
}

TEST(backup_manifest, with_a_line_that_makes_no_sense_is_refused) {
  for (const auto& text :
       {with("argosy-backup 1", "argosy-backup 2"), with("position 123456", "position x"),
        with("epoch 7", "epoch -7"), with("hash fedc", "hash xyz"), with("epoch", "poche"),
        with(" 4096 ", " 4096 4096 "), with("aaaa", "aaa"), with("aaaa", "AAAA"),
        with("end\n", "end\nmore\n")})
    EXPECT_FALSE(parse_manifest(text)) << text;
}

TEST(backup_manifest, names_no_file_outside_of_the_backup) {
  for (const auto& name : {"../log.key", "/etc/passwd", "store/lock.mdb"}) {
    const auto read = parse_manifest(with("log.key", name));
    ASSERT_FALSE(read) << name;
    EXPECT_THAT(read.error().detail, HasSubstr(name));
  }
}

TEST(backup_manifest, without_a_store_is_refused) {
  auto empty = example();
  empty.files.erase(empty.files.begin());
  EXPECT_FALSE(parse_manifest(print_manifest(empty)));
}

}  // namespace
}  // namespace argosy::argosyd
