// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/https/read_calls.hpp"

#include <utility>

#include "runtime/kube/https/ask_calls.hpp"

namespace argosy::kube {

namespace {

/// What is read may say nothing for long. A server that is gone is noticed by its connection.
constexpr std::chrono::hours silence_max{24};
/// An answer that says what is wrong is not longer.
constexpr std::size_t problem_bytes_max = 64u << 10;

}  // namespace

bool reader_gate::came(std::string_view bytes) {
  const std::lock_guard lock{calls_};
  if (open_ && !to_.came(bytes)) open_ = false;
  return open_;
}

void reader_gate::ended(result<answer> how) {
  const std::lock_guard lock{calls_};
  if (open_.exchange(false)) to_.ended(std::move(how));
}

void reader_gate::close(bool on_thread_of_calls) {
  open_ = false;
  // A call that began before holds the mutex.
  if (on_thread_of_calls) return;
  const std::lock_guard wait{calls_};
}

void read_calls::begin(std::uint64_t number, request what, std::shared_ptr<reader_gate> to) {
  if (auto good = validate(what); !good) {
    to->ended(fail(std::move(good.error())));
    return;
  }
  exchange_plan plan{.what = std::move(what),
                     .within = options_.try_within,
                     .answer_bytes_max = problem_bytes_max,
                     .stream =
                         [this, to](std::string_view bytes) {
                           loop_.hurry();
                           return to->came(bytes);
                         },
                     .silence_max = silence_max};
  sendings_[number] = sends_.send(std::move(plan), [this, number, to](exchange_end end) {
    sendings_.erase(number);
    if (end.why)
      to->ended(fail(std::move(*end.why)));
    else
      to->ended(answer{end.status, std::move(end.body), end.date});
  });
}

void read_calls::end(std::uint64_t number) {
  const auto found = sendings_.find(number);
  if (found == sendings_.end()) return;
  sends_.cancel(found->second);
  sendings_.erase(found);
}

}  // namespace argosy::kube
