// SPDX-License-Identifier: Apache-2.0
// Goal: of every byte it is known which stream wrote it, wherever reading begins, and a damaged
// list does no harm. Method: writes of random sizes to random streams against a text that has a
// letter for each stream.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "runtime/backends/run/turns.hpp"

namespace argosy::backends {
namespace {

using model::output_stream;

turn_loader loader(const std::string& list) {
  return [&list](std::size_t first, std::size_t count) {
    const auto begin = std::min(first * turn_bytes, list.size());
    return turns_from(std::string_view{list}.substr(begin, count * turn_bytes));
  };
}

turns_of_piece read(const std::string& list, std::uint64_t from, std::uint32_t size) {
  return turns_within(list.size() / turn_bytes, loader(list), from, size);
}

void append(std::string& list, turn_book& book, std::uint64_t at, output_stream to) {
  const auto turn = book.due(at, to);
  if (!turn) return;
  const auto bytes = bytes_of(*turn);
  list.append(bytes.data(), bytes.size());
  book.note(*turn);
}

/// The letters of the piece, as a reader would print them to the two streams.
std::string letters(std::string_view data, const std::vector<std::uint32_t>& turns) {
  std::string out;
  model::for_each_turn(data, turns, [&](auto of, std::string_view text) {
    out.append(text.size(), of == output_stream::err ? 'e' : 'o');
  });
  return out;
}

TEST(output_turns, are_those_of_the_bytes_wherever_reading_begins) {
  std::mt19937 random{7};
  for (int round = 0; round < 200; ++round) {
    const std::uint64_t start = round % 3 == 0 ? 0 : random() % 100'000;
    turn_book book{1u << 20};
    std::string list;
    std::string text;
    for (int i = 0; i < 60; ++i) {
      const auto of = random() % 2 == 0 ? output_stream::out : output_stream::err;
      append(list, book, start + text.size(), of);
      text.append(1 + random() % 9, of == output_stream::err ? 'e' : 'o');
    }
    for (int i = 0; i < 50; ++i) {
      const auto from = random() % text.size();
      const auto size = std::min<std::size_t>(1 + random() % 80, text.size() - from);
      const auto piece = read(list, start + from, static_cast<std::uint32_t>(size));
      ASSERT_EQ(piece.size, size);
      EXPECT_EQ(letters(std::string(size, '.'), piece.at), text.substr(from, size));
    }
  }
}

TEST(output_turns, have_a_bound_behind_which_all_is_of_stdout) {
  turn_book book{64'000};
  std::string list;
  for (std::uint64_t at = 0; at < 64'000; ++at)
    append(list, book, at, at % 2 == 0 ? output_stream::err : output_stream::out);
  EXPECT_LE(list.size(), 64'000u / 8 + 512);
  EXPECT_EQ(letters("....", read(list, 0, 4).at), "eoeo");
  EXPECT_EQ(letters("....", read(list, 60'000, 4).at), "oooo");
}

TEST(output_turns, shorten_a_piece_that_has_too_many) {
  turn_book book{64u << 20};
  std::string list;
  for (std::uint64_t at = 0; at < 40'000; ++at)
    append(list, book, at, at % 2 == 0 ? output_stream::err : output_stream::out);
  std::uint32_t from = 0;
  std::string all;
  while (from < 40'000) {
    const auto piece = read(list, from, 40'000 - from);
    ASSERT_GT(piece.size, 0u);
    ASSERT_LE(piece.at.size(), piece_turns_max + 1);
    all += letters(std::string(piece.size, '.'), piece.at);
    from += piece.size;
  }
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], i % 2 == 0 ? 'e' : 'o') << i;
}

TEST(output_turns, of_a_damaged_list_do_no_harm) {
  std::mt19937 random{11};
  for (int round = 0; round < 2'000; ++round) {
    std::string list(random() % 200, '\0');
    for (auto& byte : list) byte = random() % 4 == 0 ? static_cast<char>(random()) : '\0';
    const auto piece = read(list, random() % 1'000, 500);
    EXPECT_GT(piece.size, 0u);
    EXPECT_TRUE(std::ranges::is_sorted(piece.at));
    EXPECT_EQ(letters(std::string(piece.size, '.'), piece.at).size(), piece.size);
  }
}

}  // namespace
}  // namespace argosy::backends
