// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstdio>
#include <future>
#include <iostream>
#include <memory>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

#include "messages/proto/api/event.pb.h"
#include "tests/bench/grpc/figures.hpp"
#include "tests/bench/grpc/reader.hpp"

namespace argosy::bench {

namespace {

using namespace std::chrono_literals;

/// How many calls may be open that the server has not taken yet. It refuses more than 256.
constexpr std::size_t opening_max = 100;

/// The id of a message, which is its first field and shorter than 128 bytes. The other bytes may
/// differ between two answers, since the order of a map's entries does.
std::string_view id_of(const std::string& message) {
  if (message.size() < 2 || message[0] != '\x0a') return {};
  return std::string_view{message}.substr(2, static_cast<unsigned char>(message[1]));
}

/// The ids of all items in their order, as one number.
std::uint64_t mixed(std::uint64_t so_far, const std::string& next) {
  return (so_far ^ std::hash<std::string_view>{}(id_of(next))) * 0x9e3779b97f4a7c15ULL;
}

/// What came of one watch.
class counted final : public reader {
 public:
  using reader::reader;

  std::atomic<std::size_t> items{0};
  std::atomic<std::uint64_t> mix{0};
  std::atomic<bool> over{false};
  std::string why;  ///< To be read when it is over.

 private:
  void took(const ::grpc::ByteBuffer& item) override {
    mix = mixed(mix, testing::to_text(item));
    ++items;
  }
  void ended(const ::grpc::Status& how) override {
    why = std::to_string(how.error_code()) + " " + how.error_message();
    over = true;
  }
};
using watches = std::vector<std::unique_ptr<counted>>;

/// All events of the job set, each of which has a later place than the one before.
class whole_set final : public reader {
 public:
  using reader::reader;

  void wait() { end_.get_future().wait(); }
  std::size_t items = 0;
  std::uint64_t mix = 0;
  bool in_order = true;

 private:
  void took(const ::grpc::ByteBuffer& item) override {
    const auto bytes = testing::to_text(item);
    api::EventStreamMessage message;
    unsigned long position = 0;
    unsigned index = 0;
    unsigned part = 0;
    const bool read =
        message.ParseFromString(bytes) && message.id() == id_of(bytes) &&
        std::sscanf(message.id().c_str(), "%lu:%u:%u:", &position, &index, &part) == 3;
    const std::tuple at{position, index, part};
    in_order = in_order && read && at > last_;
    last_ = at;
    mix = mixed(mix, bytes);
    ++items;
  }
  void ended(const ::grpc::Status& how) override {
    in_order = in_order && how.ok();
    end_.set_value();
  }

  std::promise<void> end_;
  std::tuple<unsigned long, unsigned, unsigned> last_{};
};

double seconds_since(clock::time_point begun) {
  return std::chrono::duration<double>(clock::now() - begun).count();
}

/// Opens all watches and waits until each has had an event, or has ended.
void open(const watch_options& how, const std::vector<channel_ptr>& channels, watches& to) {
  const auto request = watch_request(how.queue, how.job_set, true);
  std::size_t there = 0;
  const auto look = [&] {
    while (there < to.size() && (to[there]->items > 0 || to[there]->over)) ++there;
  };
  while (there < how.watches) {
    look();
    if (to.size() == how.watches || to.size() - there >= opening_max) {
      std::this_thread::sleep_for(1ms);
      continue;
    }
    to.push_back(
        std::make_unique<counted>(channels[to.size() % channels.size()], events_path, request));
    to.back()->start();
    to.back()->read_on();
  }
}

}  // namespace

int watch(const watch_options& how) {
  const auto channels = connect(how.address, how.connections);
  const end_of_input input;
  auto begun = clock::now();
  watches all;
  open(how, channels, all);
  std::printf("open: %zu watches on %zu connections after %.1f s\n", all.size(), channels.size(),
              seconds_since(begun));
  std::fflush(stdout);
  // Each connection that nobody reads is one of its own.
  const auto idle = connect(how.address, how.stuck, ahead::little);
  watches stuck;
  for (const auto& channel : idle) {
    stuck.push_back(std::make_unique<counted>(channel, events_path,
                                              watch_request(how.queue, how.job_set, true)));
    stuck.back()->start();
  }
  while (!input.reached()) std::this_thread::sleep_for(5ms);

  begun = clock::now();
  whole_set every{channels[0], events_path, watch_request(how.queue, how.job_set, false)};
  every.start();
  every.read_on();
  every.wait();
  std::size_t done = 0;
  while (seconds_since(begun) < how.settle && done < all.size()) {
    if (all[done]->items >= every.items || all[done]->over)
      ++done;
    else
      std::this_thread::sleep_for(1ms);
  }
  const auto took = seconds_since(begun);
  std::size_t whole = 0;
  std::size_t over = 0;
  for (const auto& each : all) {
    whole += each->items == every.items && each->mix == every.mix;
    over += each->over;
  }
  std::printf(
      "%zu events, in order: %s; %zu of %zu watches had each of them once and in order, "
      "%.2f s after the last one; %zu ended early\n",
      every.items, every.in_order ? "yes" : "NO", whole, all.size(), took, over);
  for (const auto& each : all)
    if (each->over) {
      std::printf("one ended with %s\n", each->why.c_str());
      break;
    }
  std::fflush(stdout);
  // The process ends without the ends of its calls.
  std::_Exit(every.in_order && whole == all.size() ? 0 : 1);
}

namespace {

/// Prints the job and the time of each success.
class end_times final : public reader {
 public:
  end_times(const channel_ptr& on, const std::string& request, std::size_t count)
      : reader(on, events_path, request), left_(count) {}
  bool wait() { return all_.get_future().wait_for(300s) == std::future_status::ready; }

 private:
  void took(const ::grpc::ByteBuffer& item) override {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    api::EventStreamMessage message;
    if (!message.ParseFromString(testing::to_text(item)) || !message.message().has_succeeded())
      return;
    std::cout << message.message().succeeded().job_id() << " "
              << std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() << std::endl;
    if (left_ > 0 && --left_ == 0) all_.set_value();
  }
  void ended(const ::grpc::Status& how) override { std::cerr << how.error_message() << "\n"; }

  std::size_t left_;
  std::promise<void> all_;
};

}  // namespace

int ends(const watch_options& how, std::size_t count) {
  const auto channels = connect(how.address, 1);
  end_times seen{channels[0], watch_request(how.queue, how.job_set, true), count};
  seen.start();
  seen.read_on();
  std::_Exit(seen.wait() ? 0 : 1);
}

}  // namespace argosy::bench
