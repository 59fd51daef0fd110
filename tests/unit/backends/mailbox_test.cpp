// SPDX-License-Identifier: Apache-2.0
// Goal: no letter is left lying, though a thread is woken for the first one only. Method: letters
// from a second thread, and waits that would not end within the time of a test.
#include "runtime/backends/kubernetes/mailbox.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace argosy::backends {

namespace {

using namespace std::chrono_literals;

/// A reader that takes letters as the backend does, until the box is closed.
std::thread reader_of(mailbox& box, std::chrono::nanoseconds gathers) {
  return std::thread{[&box, gathers] {
    while (box.wait(1h)) {
      box.gather(gathers);
      for (const auto& letter : box.take()) letter();
    }
  }};
}

TEST(mailbox, wakes_its_reader_for_a_letter_whenever_that_waits) {
  mailbox box;
  auto reader = reader_of(box, 0ns);
  for (int i = 0; i < 1'000; ++i) {
    std::promise<void> read;
    box.post([&] { read.set_value(); });
    read.get_future().wait();
  }
  box.close();
  reader.join();
}

TEST(mailbox, hands_over_what_came_while_its_reader_gathered) {
  mailbox box;
  auto reader = reader_of(box, 1ms);
  std::promise<void> read;
  int before = 0;
  for (int i = 0; i < 1'000; ++i) box.post([&] { ++before; });
  box.post([&] { read.set_value(); });
  read.get_future().wait();
  EXPECT_EQ(before, 1'000);
  box.close();
  reader.join();
}

TEST(mailbox, drops_what_comes_after_it_was_closed) {
  mailbox box;
  box.post([] {});
  box.close();
  box.post([] {});
  EXPECT_FALSE(box.wait(1h));
  EXPECT_TRUE(box.take().empty());
}

}  // namespace

}  // namespace argosy::backends
