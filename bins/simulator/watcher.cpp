// SPDX-License-Identifier: Apache-2.0
#include "bins/simulator/watcher.hpp"

#include "messages/proto/api/event.pb.h"

namespace argosy::sim {

namespace {

using namespace std::chrono_literals;

constexpr auto reopen_pause = 1s;

}  // namespace

watcher::watcher(surroundings& around, std::string queue, std::string job_set, bool only_past)
    : around_(around),
      queue_(std::move(queue)),
      job_set_(std::move(job_set)),
      only_past_(only_past),
      end_(around) {
  open();
}

watcher::~watcher() {
  *alive_ = false;
  stream_.cancel();
}

void watcher::open() {
  ++opened_;
  api::JobSetRequest request;
  request.set_queue(queue_);
  request.set_id(job_set_);
  request.set_watch(!only_past_);
  if (!seen_.empty()) request.set_from_message_id(seen_.back().first);
  bus::stream_events events;
  events.on_item = [this](const bus::frame& item) { take(item); };
  events.on_end = [this](const result<void>& how) {
    around_.trace.add(around_.time.now(), "a watcher",
                      how ? "its stream has ended" : how.error().detail);
    if (how && only_past_) {
      ended_ = true;
      return;
    }
    around_.time.after(reopen_pause, [this, alive = alive_] {
      if (*alive) open();
    });
  };
  stream_ = end_.connection().open_stream("argosy.api.Event.GetJobSetEvents",
                                          request.SerializeAsString(), {}, {}, std::move(events));
}

void watcher::take(const bus::frame& item) {
  api::EventStreamMessage got;
  if (!got.ParseFromString(item.data)) return around_.found("an event cannot be decoded");
  around_.trace.add(around_.time.now(), "a watcher", got.id());
  seen_.emplace_back(got.id(), got.message().ShortDebugString());
}

std::string compare(const watcher& with, const std::vector<watcher::event>& all) {
  const auto& seen = with.seen();
  const auto where = "the watcher of " + with.queue() + "/" + with.job_set();
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (i >= all.size())
      return where + " saw " + seen[i].first + ", after which there should be nothing";
    if (seen[i] != all[i])
      return where + " saw as number " + std::to_string(i) + " '" + seen[i].first + " " +
             seen[i].second + "', which is '" + all[i].first + " " + all[i].second + "'";
  }
  return {};
}

}  // namespace argosy::sim
