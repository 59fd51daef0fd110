// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/https/curl_loop.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace argosy::kube {

namespace {

/// The number of an exchange travels with its handle.
std::uint64_t number_of(CURL* handle) {
  char* data = nullptr;
  curl_easy_getinfo(handle, CURLINFO_PRIVATE, &data);
  return reinterpret_cast<std::uintptr_t>(data);
}

/// The least time from one turn to the next. A thread that wakes for each packet would spend most
/// of its time on waking; the first packet after a pause is looked at without delay.
constexpr std::chrono::milliseconds turn_min{5};

void initialise() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

}  // namespace

curl_loop::curl_loop(const clock_source& clock)
    : clock_(clock), multi_((initialise(), curl_multi_init())), heard_(clock.boot()) {
  constexpr long connections_max = 64;
  curl_multi_setopt(multi_, CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_MULTIPLEX));
  // Without HTTP/2 each followed collection needs a connection of its own; others wait for one.
  curl_multi_setopt(multi_, CURLMOPT_MAX_TOTAL_CONNECTIONS, connections_max);
}

curl_loop::~curl_loop() {
  for (auto& [number, one] : exchanges_) curl_multi_remove_handle(multi_, one.what->handle());
  exchanges_.clear();
  curl_multi_cleanup(multi_);
}

void curl_loop::start() {
  thread_ = std::thread{[this] {
    id_ = std::this_thread::get_id();
    run();
  }};
}

void curl_loop::stop(job last) {
  post([this, last = std::move(last)] {
    last();
    ending_ = true;
  });
  if (thread_.joinable()) thread_.join();
}

void curl_loop::post(job what) {
  {
    const std::lock_guard lock{mutex_};
    if (stopped_) return;
    posted_.push_back(std::move(what));
    // The loop was woken for those before it, and has not taken them yet.
    if (posted_.size() > 1) return;
  }
  curl_multi_wakeup(multi_);
}

bool curl_loop::on_thread() const noexcept {
  return id_.load() == std::this_thread::get_id();
}

std::uint64_t curl_loop::begin(std::unique_ptr<exchange> what, end_handler done) {
  const auto number = ++last_number_;
  auto* const handle = what->handle();
  exchanges_.emplace(number, running{std::move(what), std::move(done)});
  curl_easy_setopt(handle, CURLOPT_PRIVATE,
                   reinterpret_cast<void*>(static_cast<std::uintptr_t>(number)));
  curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, &open_socket);
  curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, this);
  curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, &close_socket);
  curl_easy_setopt(handle, CURLOPT_CLOSESOCKETDATA, this);
  if (handle == nullptr || curl_multi_add_handle(multi_, handle) != CURLM_OK)
    after(std::chrono::nanoseconds{0}, [this, number] {
      finish(
          number, [](exchange& one, CURLcode code) { return one.finish(code); },
          CURLE_OUT_OF_MEMORY);
    });
  return number;
}

void curl_loop::cancel(std::uint64_t number) {
  if (in_curl_)
    cancelled_.push_back(number);
  else
    remove(number);
}

void curl_loop::remove(std::uint64_t number) {
  const auto found = exchanges_.find(number);
  if (found == exchanges_.end()) return;
  if (auto* const handle = found->second.what->handle(); handle != nullptr)
    curl_multi_remove_handle(multi_, handle);
  exchanges_.erase(found);
}

std::uint64_t curl_loop::after(std::chrono::nanoseconds delay, job what) {
  const auto number = ++last_number_;
  const auto due = clock_.boot() + delay;
  timers_.emplace(std::pair{due, number}, std::move(what));
  timer_due_.emplace(number, due);
  return number;
}

void curl_loop::forget(std::uint64_t timer) {
  const auto found = timer_due_.find(timer);
  if (found == timer_due_.end()) return;
  timers_.erase({found->second, timer});
  timer_due_.erase(found);
}

void curl_loop::run() {
  while (true) {
    run_posted();
    if (ending_) break;
    const auto turn = clock_.boot();
    run_timers();
    perform();
    cut_silent();
    wait();
    // It keeps still for the rest of its time.
    if (std::exchange(hurried_, false)) continue;
    std::this_thread::sleep_for(turn + turn_min - clock_.boot());
  }
  const std::lock_guard lock{mutex_};
  stopped_ = true;
  posted_.clear();
}

void curl_loop::run_posted() {
  std::vector<job> some;
  {
    const std::lock_guard lock{mutex_};
    some.swap(posted_);
  }
  for (auto& one : some) one();
}

void curl_loop::run_timers() {
  const auto now = clock_.boot();
  while (!timers_.empty() && timers_.begin()->first.first <= now) {
    const auto due = timers_.extract(timers_.begin());
    timer_due_.erase(due.key().second);
    due.mapped()();
  }
}

void curl_loop::perform() {
  int count = 0;
  in_curl_ = true;
  curl_multi_perform(multi_, &count);
  in_curl_ = false;
  for (const auto number : std::exchange(cancelled_, {})) remove(number);
  while (const auto* const told = curl_multi_info_read(multi_, &count)) {
    if (told->msg != CURLMSG_DONE) continue;
    const auto code = told->data.result;
    finish(
        number_of(told->easy_handle), [](exchange& one, CURLcode its) { return one.finish(its); },
        code);
  }
}

void curl_loop::cut_silent() {
  const auto now = clock_.boot();
  std::vector<std::uint64_t> silent;
  for (const auto& [number, one] : exchanges_)
    if (const auto at = one.what->silent_at(); at && *at <= now) silent.push_back(number);
  for (const auto number : silent)
    finish(
        number, [](exchange& one, CURLcode) { return one.finish_silent(); }, CURLE_OK);
}

void curl_loop::finish(std::uint64_t number, exchange_end (*how)(exchange&, CURLcode),
                       CURLcode code) {
  const auto found = exchanges_.find(number);
  if (found == exchanges_.end()) return;
  auto& one = *found->second.what;
  auto end = how(one, code);
  const auto began = one.began();
  heard_ = std::max(heard_, one.heard());
  const auto done = std::move(found->second.done);
  remove(number);
  if (end.too_slow) drop_dead_connections(began);
  done(std::move(end));
}

void curl_loop::drop_dead_connections(boot_time silent_since) {
  for (const auto& [number, one] : exchanges_) heard_ = std::max(heard_, one.what->heard());
  if (heard_ > silent_since) return;
  // libcurl keeps a connection of HTTP/2 when a request on it takes too long, and would put the
  // next ones on it.
  for (const auto socket : sockets_) ::shutdown(socket, SHUT_RDWR);
}

curl_socket_t curl_loop::open_socket(void* self, curlsocktype, curl_sockaddr* at) {
  // Programs that are started meanwhile get none of it.
  const auto out = ::socket(at->family, at->socktype | SOCK_CLOEXEC, at->protocol);
  if (out < 0) return CURL_SOCKET_BAD;
  static_cast<curl_loop*>(self)->sockets_.insert(out);
  return out;
}

int curl_loop::close_socket(void* self, curl_socket_t socket) {
  static_cast<curl_loop*>(self)->sockets_.erase(socket);
  return ::close(socket);
}

std::chrono::nanoseconds curl_loop::until_next() const {
  const auto now = clock_.boot();
  std::chrono::nanoseconds least = std::chrono::minutes{1};
  if (!timers_.empty()) least = std::min(least, timers_.begin()->first.first - now);
  for (const auto& [number, one] : exchanges_)
    if (const auto at = one.what->silent_at()) least = std::min(least, *at - now);
  return std::max(least, std::chrono::nanoseconds{0});
}

void curl_loop::wait() {
  // Rounded up: a timer that is not due yet would be looked at again and again.
  const auto limit = std::chrono::ceil<std::chrono::milliseconds>(until_next());
  curl_multi_poll(multi_, nullptr, 0, static_cast<int>(limit.count()), nullptr);
}

}  // namespace argosy::kube
