// SPDX-License-Identifier: Apache-2.0
// Goal: requests are sent again only where that is safe, not too often and not too late. Method:
// tables of how a try ended, with times as arguments.
#include <gmock/gmock.h>

#include "runtime/kube/backoff.hpp"
#include "runtime/kube/https/retry_core.hpp"

namespace argosy::kube {

namespace {

using namespace std::chrono_literals;
using wait = std::optional<std::chrono::milliseconds>;

class all_zeros final : public random_source {
 public:
  std::uint64_t next() override { return 0; }
};

const retry_rules three_tries{.tries_max = 3, .waits = {.first = 100ms, .most = 1s}};

TEST(retry_core, sends_again_where_it_is_safe) {
  struct row {
    const char* what;
    bool safe;
    try_end end;
    wait expected;
  };
  const std::vector<row> rows = {
      {"a GET that was answered", true, {.status = 200}, {}},
      {"a GET of what is not there", true, {.status = 404}, {}},
      {"a GET without an answer", true, {}, 50ms},
      {"a GET that cannot succeed", true, {.final = true}, {}},
      {"a GET of a server in trouble", true, {.status = 500}, 50ms},
      {"a GET of a busy server", true, {.status = 429}, 50ms},
      {"a GET that is told when to come back", true, {.status = 429, .retry_after = 2s}, 2s},
      {"a GET that may come back at once", true, {.status = 503, .retry_after = 0s}, 50ms},
      {"a POST without an answer", false, {}, {}},
      {"a POST to a server in trouble", false, {.status = 500, .retry_after = 1s}, {}},
      {"a POST to a busy server", false, {.status = 429}, {}},
      {"a POST that is told when to come back", false, {.status = 429, .retry_after = 2s}, 2s},
      {"a POST to a server that starts", false, {.status = 503, .retry_after = 1s}, 1s},
      {"a wait beyond the deadline", true, {.status = 429, .retry_after = 60s}, {}},
  };
  for (const auto& one : rows) {
    all_zeros random;
    retry_core core{one.safe, boot_time{60s}, three_tries};
    EXPECT_EQ(core.after(one.end, boot_time{0s}, random), one.expected) << one.what;
  }
}

TEST(retry_core, gives_up_after_its_tries_and_at_its_deadline) {
  all_zeros random;
  retry_core core{true, boot_time{10s}, three_tries};
  EXPECT_EQ(core.after({}, boot_time{0s}, random), wait{50ms});
  EXPECT_EQ(core.after({}, boot_time{1s}, random), wait{100ms});
  EXPECT_EQ(core.after({}, boot_time{2s}, random), wait{});
  retry_core late{true, boot_time{10s}, three_tries};
  EXPECT_EQ(late.after({}, boot_time{10s} - 50ms, random), wait{});
}

TEST(retry_core, reads_the_time_after_which_to_come_back) {
  EXPECT_EQ(read_retry_after(" 3\r\n"), wait{3s});
  EXPECT_EQ(read_retry_after("0"), wait{0s});
  for (const auto* const bad : {"", "-1", "1.5", "soon", "Wed, 21 Oct 2026 07:28:00 GMT", "86401"})
    EXPECT_EQ(read_retry_after(bad), wait{}) << bad;
}

TEST(backoff, lies_between_half_and_all_of_a_wait_that_doubles_up_to_a_limit) {
  const backoff_rules waits{.first = 100ms, .most = 1s};
  seeded_random random{7};
  const std::vector<std::chrono::milliseconds> most = {100ms, 200ms, 400ms, 800ms, 1s, 1s};
  for (unsigned i = 0; i < most.size(); ++i) {
    for (int n = 0; n < 100; ++n) {
      const auto got = backoff(waits, i + 1, random);
      EXPECT_GE(got, most[i] / 2);
      EXPECT_LE(got, most[i]);
    }
  }
  EXPECT_LE(backoff(waits, 1'000'000, random), 1s);
}

}  // namespace

}  // namespace argosy::kube
