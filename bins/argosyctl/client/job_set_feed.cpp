// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/client/job_set_feed.hpp"

#include <algorithm>
#include <thread>

namespace argosy::ctl {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

}  // namespace

result<void> job_set_feed::reopen() {
  api::JobSetRequest request;
  request.set_id(request_.job_set);
  request.set_queue(request_.queue);
  request.set_watch(request_.follow);
  request.set_from_message_id(request_.from);
  request.set_errorifmissing(request_.error_if_missing);
  auto reader = server_.open("Event.GetJobSetEvents", request.SerializeAsString());
  if (!reader) return fail(std::move(reader.error()));
  reader_ = std::move(*reader);
  opened_ = steady_clock::now();
  return {};
}

result<stream_reader::event> job_set_feed::broken(error err, std::chrono::milliseconds wait) {
  reader_.reset();
  const auto now = steady_clock::now();
  if (broken_since_ == steady_clock::time_point{}) broken_since_ = now;
  if (!may_recover(err.code) || now - broken_since_ > request_.patience)
    return fail(std::move(err));
  std::this_thread::sleep_for(std::min<std::chrono::milliseconds>(wait, 200ms));
  return stream_reader::event::quiet;
}

result<stream_reader::event> job_set_feed::failed(error err, std::chrono::milliseconds wait) {
  if (err.code != ec::conflict || request_.from.empty()) return broken(std::move(err), wait);
  reader_.reset();
  request_.from.clear();
  restarted_ = true;
  return stream_reader::event::quiet;
}

result<stream_reader::event> job_set_feed::next(api::EventStreamMessage& event,
                                                std::chrono::milliseconds wait) {
  if (!reader_)
    if (auto opened = reopen(); !opened) return failed(std::move(opened.error()), wait);
  std::string data;
  auto got = reader_->next(data, wait);
  if (!got) return failed(std::move(got.error()), wait);
  // A server that cannot take the stream says so at once, so that a stream that lives for this long
  // has been taken.
  const auto proof = std::min<steady_clock::duration>(1s, request_.patience / 2);
  if (steady_clock::now() - opened_ >= proof) broken_since_ = {};
  if (*got != stream_reader::event::item) return got;
  if (!event.ParseFromString(data))
    return fail(ec::corrupt, "an event cannot be read; do the versions match? (argosyctl version)");
  broken_since_ = {};
  request_.from = event.id();
  return got;
}

}  // namespace argosy::ctl
