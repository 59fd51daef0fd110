// SPDX-License-Identifier: Apache-2.0
#include "runtime/rest/shared_answers.hpp"

#include <algorithm>
#include <utility>

namespace argosy::rest {

namespace {

std::size_t size_of(const std::shared_ptr<const std::string>& text) {
  return text ? text->size() : 0;
}

}  // namespace

shared_answers::shared_answers(bounds most, std::function<clock::time_point()> now)
    : most_(most), now_(std::move(now)) {}

shared_answers::shared shared_answers::get(const std::string& key, positions where,
                                           const std::function<outcome()>& make) {
  std::promise<outcome> promise;
  std::uint64_t number = 0;
  while (number == 0) {
    std::unique_lock lock{guard_};
    const auto at = entries_.find(key);
    if (at != entries_.end() && at->second.position >= where.at_least &&
        now_() <= at->second.begun + most_.lasts) {
      const auto there = at->second;
      lock.unlock();
      if (auto answer = there.answer.get(); answer || answer.error().code != ec::cancelled)
        return {std::move(answer), there.position};
    } else {
      number = begin(key, where.now, promise.get_future().share()).number;
    }
  }
  auto made = make();
  end(key, number, made);
  promise.set_value(made);
  return {std::move(made), where.now};
}

std::size_t shared_answers::bytes() const {
  const std::scoped_lock lock{guard_};
  return bytes_;
}

shared_answers::entry shared_answers::begin(const std::string& key, std::uint64_t position,
                                            std::shared_future<outcome> answer) {
  if (const auto old = entries_.find(key); old != entries_.end()) erase(old);
  make_room();
  return entries_[key] = {++numbers_, position, now_(), std::move(answer), 0};
}

void shared_answers::end(const std::string& key, std::uint64_t number, const outcome& made) {
  const std::scoped_lock lock{guard_};
  const auto at = entries_.find(key);
  if (at == entries_.end() || at->second.number != number) return;
  const auto size = made ? key.size() + size_of((*made)->text) + size_of((*made)->packed) : 0;
  if (!made || bytes_ + size > most_.bytes_max) return erase(at);
  at->second.bytes = size;
  bytes_ += size;
}

void shared_answers::erase(entries::iterator at) {
  bytes_ -= at->second.bytes;
  entries_.erase(at);
}

/// Drops what is too old, and the oldest answers while there are too many.
void shared_answers::make_room() {
  const auto oldest_good = now_() - most_.lasts;
  for (auto at = entries_.begin(); at != entries_.end();) {
    const auto next = std::next(at);
    if (at->second.begun < oldest_good) erase(at);
    at = next;
  }
  while (entries_.size() >= most_.answers_max)
    erase(std::min_element(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
      return a.second.number < b.second.number;
    }));
}

}  // namespace argosy::rest
