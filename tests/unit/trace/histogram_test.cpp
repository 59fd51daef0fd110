// SPDX-License-Identifier: Apache-2.0
// Goal: every duration falls into the bucket whose bounds hold it, and quantiles are within an
// eighth. Method: all values around the bounds, and a known distribution.
#include "runtime/trace/histogram.hpp"

#include <gmock/gmock.h>

namespace argosy::trace {
namespace {

TEST(histogram, bounds_and_buckets_agree) {
  for (std::size_t i = 0; i + 1 < histogram::bucket_count; ++i) {
    EXPECT_EQ(histogram::bucket_of(histogram::lower_bound(i)), i);
    EXPECT_EQ(histogram::bucket_of(histogram::lower_bound(i + 1) - 1), i);
  }
  EXPECT_EQ(histogram::bucket_of(-5), 0U);
  EXPECT_EQ(histogram::bucket_of(INT64_MAX), histogram::bucket_count - 1);
}

TEST(histogram, counts_sums_and_quantiles) {
  histogram times;
  EXPECT_EQ(times.quantile(0.5), 0);
  for (int i = 1; i <= 10'000; ++i) times.add(i * 1000);
  EXPECT_EQ(times.count(), 10'000U);
  EXPECT_EQ(times.sum_nanos(), 50'005'000'000);
  EXPECT_NEAR(static_cast<double>(times.quantile(0.5)), 5e6, 5e6 / 8);
  EXPECT_NEAR(static_cast<double>(times.quantile(0.99)), 9.9e6, 9.9e6 / 8);
  EXPECT_LE(times.quantile(0), 1250);
}

TEST(histogram, counts_below_a_power_of_two_exactly_and_merges) {
  histogram a;
  for (const auto value : {1, 1023, 1024, 5000}) a.add(value);
  EXPECT_EQ(a.count_below(1024), 2U);
  EXPECT_EQ(a.count_below(8192), 4U);
  histogram b;
  b.add(1024, 3);
  b.merge(a);
  EXPECT_EQ(b.count(), 7U);
  EXPECT_EQ(b.sum_nanos(), 3 * 1024 + 1 + 1023 + 1024 + 5000);
  EXPECT_EQ(b.count_below(2048), 6U);
}

}  // namespace
}  // namespace argosy::trace
