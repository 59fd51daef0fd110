// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/client/bus_stream.hpp"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "runtime/trace/context.hpp"

namespace argosy::ctl {

namespace {

constexpr std::uint32_t stream_credit = 4'096;

/// The callbacks of a stream put here what the thread that reads it takes.
struct inbox {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::string> items;
  std::optional<result<void>> end;
};

class bus_stream_reader final : public stream_reader {
 public:
  bus_stream_reader(bus::connection& connection, const std::string& subject,
                    const std::string& request, bus::headers headers,
                    std::chrono::milliseconds timeout)
      : inbox_(std::make_shared<inbox>()) {
    bus::stream_options options;
    options.credit = stream_credit;
    options.manual_grants = true;
    options.open_timeout = timeout;
    bus::stream_events events;
    events.on_item = [in = inbox_](bus::frame item) {
      const std::lock_guard lock{in->mutex};
      in->items.push_back(std::move(item.data));
      in->changed.notify_one();
    };
    events.on_end = [in = inbox_](result<void> how) {
      const std::lock_guard lock{in->mutex};
      in->end = std::move(how);
      in->changed.notify_one();
    };
    headers.set(bus::header::traceparent, trace::format_traceparent(trace::new_root()));
    stream_ = connection.open_stream(subject, request, headers, options, std::move(events));
  }

  result<event> next(std::string& data, std::chrono::milliseconds patience) override {
    std::unique_lock lock{inbox_->mutex};
    inbox_->changed.wait_for(lock, patience,
                             [&] { return !inbox_->items.empty() || inbox_->end.has_value(); });
    if (!inbox_->items.empty()) {
      data = std::move(inbox_->items.front());
      inbox_->items.pop_front();
      lock.unlock();
      if (++consumed_ == stream_credit / 4) {
        stream_.grant(consumed_);
        consumed_ = 0;
      }
      return event::item;
    }
    if (!inbox_->end) return event::quiet;
    if (!inbox_->end->has_value()) return fail(inbox_->end->error());
    return event::finished;
  }

 private:
  std::shared_ptr<inbox> inbox_;
  bus::stream stream_;
  std::uint32_t consumed_ = 0;
};

}  // namespace

std::unique_ptr<stream_reader> open_bus_stream(bus::connection& connection,
                                               const std::string& subject,
                                               const std::string& request, bus::headers headers,
                                               std::chrono::milliseconds timeout) {
  return std::make_unique<bus_stream_reader>(connection, subject, request, std::move(headers),
                                             timeout);
}

}  // namespace argosy::ctl
