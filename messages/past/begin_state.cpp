// SPDX-License-Identifier: Apache-2.0
#include "messages/past/begin_state.hpp"

#include <string>
#include <utility>

namespace argosy::past {

bool is_stopped(const past_source& from) {
  return from.stopped != nullptr && from.stopped->load();
}

bool is_over(const past_source& from) {
  return is_stopped(from) || (from.out_of_time && from.out_of_time());
}

bool holds_too_many(const past_source& from, const view::recovered_state& state) {
  if (from.live_jobs_max == 0) return false;
  std::size_t live = 0;
  for (const auto& [name, queue] : state.queues) live += queue->live_count();
  return live > from.live_jobs_max;
}

failure too_many(const past_source& from) {
  return fail(ec::too_large, "more than " + std::to_string(from.live_jobs_max) +
                                 " jobs were live then, as many as may be held in memory to decide "
                                 "a round again (api.pastJobsMax)");
}

result<past_state> begin_state(const past_source& from) {
  view::recovered_state begin;
  if (from.store != nullptr) {
    std::size_t looked = 0;
    bool full = false;
    const auto over = [&] {
      if (++looked % live_looked_at_every == 0) full = full || holds_too_many(from, begin);
      return full || is_over(from);
    };
    auto loaded = view::load_view(*from.store, from.rules, *from.key, begin, over,
                                  view::view_part::for_rounds);
    if (full || holds_too_many(from, begin)) return too_many(from);
    if (!loaded) return fail(std::move(loaded.error()));
    auto carried = view::load_carried(*from.store);
    if (!carried) return fail(std::move(carried.error()));
    begin.carried = std::move(*carried);
  }
  return past_state{std::move(begin), from.rules};
}

}  // namespace argosy::past
