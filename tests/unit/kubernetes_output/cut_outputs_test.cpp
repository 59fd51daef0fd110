// SPDX-License-Identifier: Apache-2.0
// Goal: the last words of many runs are kept in little room: older outputs are cut to their ends
// before one goes. Method: long outputs, and a bound that few of them fill.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "runtime/backends/kubernetes/output/kept_output.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/unit/kubernetes/kubernetes_fixture.hpp"

namespace argosy::backends {
namespace {

TEST(cut_outputs, are_cut_to_their_ends_before_one_goes) {
  const argosy::testing::temp_folder folder;
  const auto run_of = [](std::uint8_t serial) { return kubernetes_fixture::run_of(serial); };
  const auto long_one = [&](std::uint8_t serial) {
    return saved_output{run_of(serial), "main", true,
                        "first of " + std::to_string(serial) + std::string(200'000, '.') +
                            "last of " + std::to_string(serial)};
  };
  const auto bytes_of = [](const kept_output& from, const model::run_key& run) {
    std::string out;
    for (model::log_request wanted{run, 0, 1u << 20};;) {
      const auto part = from.read(wanted);
      if (!part || part->data.empty()) return out;
      out += part->data;
      wanted.offset = part->next_offset;
    }
  };
  constexpr std::uint64_t bound = 700'000;
  auto outputs = kept_output::open(folder.path(), bound);
  for (std::uint8_t serial = 1; serial <= 100; ++serial) {
    outputs.keep(long_one(serial));
    std::uint64_t used = 0;
    for (const auto& each : std::filesystem::directory_iterator{folder.path()})
      used += each.file_size();
    ASSERT_LE(used, bound);
    if (serial != 4) continue;
    EXPECT_GT(bytes_of(outputs, run_of(1)).size(), 60'000U);
    EXPECT_LT(bytes_of(outputs, run_of(1)).size(), 70'000U);
    EXPECT_GT(bytes_of(outputs, run_of(2)).size(), 200'000U);
  }
  const auto later = kept_output::open(folder.path(), bound);
  for (const kept_output* each : {static_cast<const kept_output*>(&outputs), &later})
    for (std::uint8_t serial = 1; serial <= 100; ++serial) {
      const auto bytes = bytes_of(*each, run_of(serial));
      ASSERT_TRUE(bytes.starts_with("first of " + std::to_string(serial) + ".")) << +serial;
      ASSERT_TRUE(bytes.ends_with("last of " + std::to_string(serial))) << +serial;
      ASSERT_NE(each->read({run_of(serial)})->lost.empty(), bytes.size() < 200'000);
    }
  EXPECT_GT(bytes_of(later, run_of(100)).size(), 200'000U) << "the last one is whole";
  EXPECT_NE(later.read({run_of(1), 100'000, 10})->lost, "") << "it was longer";
  for (std::uint8_t serial = 101; serial <= 250; ++serial) outputs.keep(long_one(serial));
  EXPECT_FALSE(outputs.has(run_of(1))) << "there is no room for so many";
  EXPECT_TRUE(outputs.has(run_of(200)));
}

TEST(cut_outputs, are_cut_in_the_order_of_their_age_after_a_restart) {
  const argosy::testing::temp_folder folder;
  const auto run_of = [](std::uint8_t serial) { return kubernetes_fixture::run_of(serial); };
  {
    auto outputs = kept_output::open(folder.path(), 250'000);
    for (std::uint8_t serial = 1; serial <= 3; ++serial)
      outputs.keep({run_of(serial), "main", true, std::string(100'000, 'x')});
  }
  const auto outputs = kept_output::open(folder.path(), 75'000);
  EXPECT_LT(outputs.read({run_of(1)})->data.size(), 5'000U);
  EXPECT_LT(outputs.read({run_of(2)})->data.size(), 5'000U);
  EXPECT_GT(outputs.read({run_of(3)})->data.size(), 60'000U) << "it is the youngest";
}

}  // namespace
}  // namespace argosy::backends
