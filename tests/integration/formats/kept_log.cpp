// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/formats/kept_log.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <sstream>

namespace argosy::testing {

namespace {

constexpr std::string_view digits = "0123456789abcdef";

std::string to_hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out;
}

std::string from_hex(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    out += static_cast<char>(digits.find(text[i]) << 4 | digits.find(text[i + 1]));
  return out;
}

}  // namespace

std::string read_compressed(const std::filesystem::path& file) {
  std::string out;
  const auto opened = gzopen(file.c_str(), "rb");
  EXPECT_NE(opened, nullptr) << file;
  if (opened == nullptr) return out;
  std::array<char, 65'536> piece{};
  for (int got = 0; (got = gzread(opened, piece.data(), piece.size())) > 0;)
    out.append(piece.data(), static_cast<std::size_t>(got));
  EXPECT_EQ(gzclose(opened), Z_OK) << file;
  return out;
}

void write_compressed(const std::filesystem::path& file, const std::string& content) {
  const auto opened = gzopen(file.c_str(), "wb9");
  ASSERT_NE(opened, nullptr) << file;
  EXPECT_EQ(gzwrite(opened, content.data(), static_cast<unsigned>(content.size())),
            static_cast<int>(content.size()));
  EXPECT_EQ(gzclose(opened), Z_OK);
}

std::vector<kept_record> read_kept_log(const std::filesystem::path& file) {
  std::vector<kept_record> out;
  std::istringstream lines{read_compressed(file)};
  kept_record next;
  for (std::string hex; lines >> next.generation.value >> next.msg_id >> hex;) {
    next.bytes = from_hex(hex);
    out.push_back(next);
  }
  return out;
}

void write_kept_log(const std::filesystem::path& file, const std::vector<kept_record>& records) {
  std::ostringstream out;
  for (const auto& each : records)
    out << each.generation.value << ' ' << each.msg_id << ' ' << to_hex(each.bytes) << '\n';
  write_compressed(file, out.str());
}

std::unique_ptr<eventlog::memory_log> log_of(const std::vector<kept_record>& records,
                                             const clock_source& clock) {
  auto out = std::make_unique<eventlog::memory_log>(
      clock, eventlog::memory_log_options{.never_wait = true});
  model::log_generation generation{1};
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto& each = records[i];
    if (each.generation != generation) {
      generation = each.generation;
      out->choose(generation, {i});
      EXPECT_TRUE(out->create());
    }
    EXPECT_TRUE(out->append({i}, each.msg_id, each.bytes));
  }
  out->choose({1}, {0});
  return out;
}

}  // namespace argosy::testing
