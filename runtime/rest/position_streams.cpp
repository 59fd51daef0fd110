// SPDX-License-Identifier: Apache-2.0
#include "runtime/rest/position_streams.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <utility>

namespace argosy::rest {

namespace {

using clock = std::chrono::steady_clock;

/// How often it is looked whether the position has moved, while there are streams.
constexpr std::chrono::milliseconds look_at_log_every{100};

/// Another process may have another history, in which the same position means something else.
std::string id_of(std::uint64_t position, std::string_view started) {
  return std::to_string(position) + "-" + std::string{started};
}

std::string event_of(std::uint64_t position, std::string_view started, const std::string& body) {
  return "id: " + id_of(position, started) + "\nevent: position\ndata: " + body + "\n\n";
}

std::string list_of(const char* name, const std::optional<std::vector<std::uint32_t>>& all) {
  if (!all) return {};
  std::string out = std::string{",\""} + name + "\":[";
  for (const auto name : *all) out += std::to_string(name) + ',';
  if (out.back() == ',') out.pop_back();
  return out + ']';
}

/// A piece of an answer in chunks.
std::string chunk_of(std::string_view text) {
  std::array<char, 16> size{};
  const auto end = std::to_chars(size.data(), size.data() + size.size(), text.size(), 16).ptr;
  std::string out{size.data(), end};
  return out.append("\r\n").append(text).append("\r\n");
}

/// Writes without waiting. A reader who does not take a few bytes has stopped reading.
bool write_now(int socket, std::string_view bytes) {
  const auto sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return sent == static_cast<ssize_t>(bytes.size());
}

}  // namespace

std::string position_body(std::uint64_t position, std::string_view started,
                          const changed_names& changed) {
  return R"({"position":)" + std::to_string(position) + R"(,"startedNs":)" + std::string{started} +
         list_of("queues", changed.queues) + list_of("jobSets", changed.job_sets) + "}";
}

std::string first_event(std::uint64_t position, std::string_view started, std::string_view known) {
  const std::string begin = "retry: 2000\n";
  if (known == id_of(position, started)) return begin + ": as you know it\n\n";
  return begin + event_of(position, started, position_body(position, started));
}

position_streams::position_streams(config with)
    : config_(std::move(with)),
      gone_(::epoll_create1(EPOLL_CLOEXEC)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      turns_(config_.pace) {
  epoll_event event{EPOLLIN, {.fd = wake_.get()}};
  ::epoll_ctl(gone_.get(), EPOLL_CTL_ADD, wake_.get(), &event);
  worker_ = std::thread{[this] { work(); }};
}

position_streams::~position_streams() {
  stop();
}

void position_streams::add(health::kept_socket socket, std::uint64_t told,
                           border::shares::place place) {
  {
    const std::scoped_lock lock{guard_};
    const int id = socket.get();
    epoll_event event{EPOLLRDHUP, {.fd = id}};
    if (stopped_ || ::epoll_ctl(gone_.get(), EPOLL_CTL_ADD, id, &event) != 0) {
      write_now(id, chunk_of(""));
      return;
    }
    turns_.add(id, told, clock::now());
    sockets_.emplace(id, kept_stream{std::move(socket), std::move(place)});
  }
  ::eventfd_write(wake_.get(), 1);
}

void position_streams::stop() {
  {
    const std::scoped_lock lock{guard_};
    stopped_ = true;
  }
  ::eventfd_write(wake_.get(), 1);
  if (worker_.joinable()) worker_.join();
}

void position_streams::work() {
  std::array<epoll_event, 64> events{};
  auto next_look = clock::now();
  bool idle = true;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_look - clock::now());
    const int wait = idle ? -1 : static_cast<int>(std::max<std::int64_t>(0, left.count()));
    const int got = ::epoll_wait(gone_.get(), events.data(), events.size(), wait);
    const std::scoped_lock lock{guard_};
    for (int i = 0; i < got; ++i) {
      const int id = events[static_cast<std::size_t>(i)].data.fd;
      eventfd_t ignored = 0;
      if (id == wake_.get())
        static_cast<void>(::eventfd_read(id, &ignored));
      else
        forget(id);
    }
    if (stopped_) return end_all();
    idle = sockets_.empty();
    if (idle || clock::now() < next_look) continue;
    next_look = clock::now() + look_at_log_every;
    events_.clear();
    if (const auto position = config_.position())
      for (const auto& each : turns_.look(*position, clock::now())) tell(each);
    else
      end_all();
  }
}

/// The event for streams that were told of the position `known` before.
const std::string& position_streams::event_behind(std::uint64_t known) {
  auto& out = events_[known];
  if (!out.empty()) return out;
  const auto now = turns_.announced();
  // The names may be of changes behind the announced position; the next event tells them again.
  const auto changed = config_.changed ? config_.changed(known) : changed_names{};
  return out =
             chunk_of(event_of(now, config_.started, position_body(now, config_.started, changed)));
}

void position_streams::tell(const position_turns::turn& what) {
  using word = position_turns::word;
  const bool ends = what.what == word::end;
  const bool written = what.what == word::position
                           ? write_now(what.stream, event_behind(what.known))
                           // An empty chunk is the end of an answer.
                           : write_now(what.stream, chunk_of(ends ? "" : ":\n\n"));
  if (!written || ends) forget(what.stream);
}

void position_streams::forget(int stream) {
  turns_.remove(stream);
  sockets_.erase(stream);
}

void position_streams::end_all() {
  while (!sockets_.empty()) tell({sockets_.begin()->first, position_turns::word::end, 0});
}

}  // namespace argosy::rest
