// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/top/background_reader.hpp"

#include <algorithm>

namespace argosy::ctl {

using std::chrono::steady_clock;

background_reader::background_reader(read_function read, std::chrono::milliseconds period)
    : read_(std::move(read)), period_(period), thread_([this] { work(); }) {}

background_reader::~background_reader() {
  {
    const std::lock_guard lock{mutex_};
    stops_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void background_reader::want(const screen_source& source) {
  const std::lock_guard lock{mutex_};
  if (wanted_ == source) return;
  wanted_ = source;
  changed_.notify_one();
}

std::optional<background_reader::answer> background_reader::take() {
  const std::lock_guard lock{mutex_};
  return std::exchange(answer_, std::nullopt);
}

void background_reader::work() {
  std::unique_lock lock{mutex_};
  changed_.wait(lock, [&] { return stops_ || wanted_; });
  while (!stops_) {
    const auto source = *wanted_;
    lock.unlock();
    const auto begun = steady_clock::now();
    auto content = read_(source);
    const auto took = steady_clock::now() - begun;
    lock.lock();
    answer_.emplace(source, std::move(content));
    changed_.wait_until(lock, begun + std::max<steady_clock::duration>(period_, 2 * took),
                        [&] { return stops_ || *wanted_ != source; });
  }
}

}  // namespace argosy::ctl
