// SPDX-License-Identifier: Apache-2.0
// Goal: a probe shows each of its members once, with the present value; a board has one probe of
// each type. Method: a probe of the test with every kind of metric.
#include "runtime/metrics/probe.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <thread>

#include "runtime/metrics/board.hpp"
#include "runtime/metrics/histogram.hpp"

namespace argosy::metrics {

namespace {

struct kettle_probe final : probe {
  kettle_probe() : probe("kettle") {}

  counter boiled{*this, "argosy_kettle_cups_total", "Cups by what was in them.", {{"of", "tea"}}};
  counter coffee{
      *this, "argosy_kettle_cups_total", "Cups by what was in them.", {{"of", "coffee"}}};
  gauge water{*this, "argosy_kettle_water", "Cups that are left."};
  counter_table guests{*this, "argosy_guests_total", "Guests.", "from", "liked"};

 protected:
  void collect(family_list& out) const override {
    out.push_back({"argosy_kitchen_heat", "Degrees.", family_kind::gauge, {{{}, 21.5}}});
  }
};

struct oven_probe final : probe {
  explicit oven_probe(int heat) : probe("oven"), wanted(heat) {}
  gauge loaves{*this, "argosy_oven_loaves", "Loaves."};
  int wanted;
};

}  // namespace

TEST(probe, puts_neighbours_of_one_name_into_one_family) {
  kettle_probe kettle;
  kettle.boiled += 2;
  ++kettle.coffee;
  const auto families = kettle.families();
  ASSERT_EQ(families.size(), 4U);
  EXPECT_EQ(families[0].name, "argosy_kettle_cups_total");
  EXPECT_EQ(families[0].help, "Cups by what was in them.");
  EXPECT_EQ(families[0].kind, family_kind::counter);
  ASSERT_EQ(families[0].samples.size(), 2U);
  EXPECT_EQ(families[0].samples[0].labels, (label_list{{"of", "tea"}}));
  EXPECT_EQ(families[0].samples[0].value, 2);
  EXPECT_EQ(families[0].samples[1].value, 1);
  EXPECT_EQ(families[1].kind, family_kind::gauge);
  EXPECT_EQ(families[3].name, "argosy_kitchen_heat") << "what is kept elsewhere comes last";
}

TEST(probe, gives_figures_under_short_names) {
  kettle_probe kettle;
  kettle.water.set(3);
  kettle.guests.add("next door", "tea");
  EXPECT_EQ(kettle.figures(), (figure_list{{"cups_total tea", 0.0},
                                           {"cups_total coffee", 0.0},
                                           {"water", 3.0},
                                           {"guests_total next door tea", 1.0},
                                           {"kitchen_heat", 21.5}}));
}

TEST(histogram, counts_what_is_not_above_each_bound) {
  probe owner{"oven"};
  histogram baked{owner, "argosy_oven_baked_seconds", "Baking.", {{"of", "bread"}}};
  using namespace std::chrono_literals;
  for (const std::chrono::nanoseconds took : {-5ns, 0ns, 1'000'000ns, 1'000'001ns}) baked.add(took);
  baked.add(200ms);
  baked.add(1min);
  const auto families = owner.families();
  ASSERT_EQ(families.size(), 1U);
  EXPECT_EQ(families[0].kind, family_kind::histogram);
  const auto& found = families[0].samples.at(0);
  EXPECT_EQ(found.labels, (label_list{{"of", "bread"}}));
  EXPECT_EQ(found.value, 6);
  EXPECT_NEAR(found.sum, 60.202, 1e-6);
  const std::map<double, std::uint64_t> at_most(found.at_most.begin(), found.at_most.end());
  EXPECT_EQ(at_most.at(0.001), 3U);
  EXPECT_EQ(at_most.at(0.002), 4U);
  EXPECT_EQ(at_most.at(0.1), 4U);
  EXPECT_EQ(at_most.at(0.2), 5U);
  EXPECT_EQ(at_most.at(10), 5U);
}

TEST(counter_table, counts_each_pair_of_values) {
  kettle_probe kettle;
  kettle.guests.add("a", "b");
  kettle.guests.add("a", "b");
  kettle.guests.add("ab", "");
  EXPECT_EQ(kettle.guests.value("a", "b"), 2U);
  EXPECT_EQ(kettle.guests.value("ab", ""), 1U);
  EXPECT_EQ(kettle.guests.value("", "ab"), 0U);
}

TEST(gauge, shows_a_time_in_whole_seconds) {
  kettle_probe kettle;
  kettle.water.set_time(from_nanos(1'700'000'000'999'999'999));
  EXPECT_EQ(kettle.water.value(), 1'700'000'000);
}

TEST(portion, ends_with_its_owner_and_leaves_those_of_others) {
  kettle_probe kettle;
  portion one{kettle.water};
  one.set(5);
  {
    portion other{kettle.water};
    other.set(3);
    other.set(4);
    EXPECT_EQ(kettle.water.value(), 9);
  }
  EXPECT_EQ(kettle.water.value(), 5);
  EXPECT_EQ(one.value(), 5);
}

TEST(board, has_one_probe_of_each_type) {
  board all;
  const auto first = all.get<oven_probe>(180);
  const auto again = all.get<oven_probe>(220);
  EXPECT_EQ(first, again);
  EXPECT_EQ(again->wanted, 180);
  static_cast<void>(all.get<kettle_probe>());
  first->loaves.set(7);
  const auto families = all.families();
  ASSERT_EQ(families.size(), 5U);
  EXPECT_EQ(families[0].name, "argosy_oven_loaves");
  EXPECT_EQ(families[0].samples.at(0).value, 7);
}

TEST(board, that_is_cleared_gives_new_probes) {
  board all;
  const auto before = all.get<oven_probe>(180);
  before->loaves.set(7);
  all.clear();
  EXPECT_TRUE(all.families().empty());
  const auto after = all.get<oven_probe>(220);
  EXPECT_EQ(after->wanted, 220);
  EXPECT_EQ(after->loaves.value(), 0);
  EXPECT_EQ(before->loaves.value(), 7) << "whoever holds a probe may still count";
}

TEST(board, is_read_while_others_count) {
  board all;
  const auto kettle = all.get<kettle_probe>();
  std::thread counting{[&] {
    for (int i = 0; i < 10'000; ++i) {
      ++kettle->boiled;
      kettle->guests.add("a", "b");
    }
  }};
  for (int i = 0; i < 100; ++i) EXPECT_EQ(all.families().size(), 4U);
  counting.join();
  EXPECT_EQ(kettle->boiled.value(), 10'000U);
  EXPECT_EQ(kettle->guests.value("a", "b"), 10'000U);
}

}  // namespace argosy::metrics
