// SPDX-License-Identifier: Apache-2.0
#include "bins/simulator/witness/log_reader.hpp"

#include <limits>
#include <variant>
#include <vector>

#include "messages/codec/log/log_codec.hpp"

namespace argosy::witness {

namespace {

using namespace std::chrono_literals;

struct generation {
  model::log_generation number{1};
  model::log_position base{};  ///< The last position of the generation before.
};

/// Returns the generations with their bases. It leaves out one whose first record is not a
/// generation_begun event.
result<std::vector<generation>> generations_of(eventlog::event_log& log) {
  const auto numbers = log.generations();
  if (!numbers) return fail(numbers.error());
  std::vector<generation> out;
  for (const auto number : *numbers) {
    if (number == model::log_generation{1}) {
      out.push_back({});
      continue;
    }
    log.choose(number, {});
    const auto first = log.get({1});
    if (!first) continue;
    const auto batch = codec::decode_batch(first->data);
    if (!batch || batch->events.empty()) continue;
    const auto* begun = std::get_if<model::generation_begun>(&batch->events.front().payload);
    if (begun != nullptr) out.push_back({number, begun->position});
  }
  return out;
}

}  // namespace

result<log_counts> read_log(eventlog::event_log& log, const event_taker& take) {
  const auto all = generations_of(log);
  if (!all) return fail(all.error());
  log_counts out;
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < all->size(); ++i) {
    const auto& now = (*all)[i];
    log.choose(now.number, now.base);
    ++out.generations;
    const auto info = log.info();
    if (!info) return fail(info.error());
    // What a generation holds behind the beginning of the next one was given up.
    const auto last = i + 1 < all->size() ? std::min((*all)[i + 1].base, info->last_position)
                                          : info->last_position;
    for (auto at = std::max(now.base + 1, info->first_position); at <= last;) {
      const auto got = log.read(at, 1'000, 8u << 20, 5s);
      if (!got) return fail(got.error());
      if (got->empty()) return fail(ec::timeout, "the log does not give its records");
      for (const auto& record : *got) {
        if (record.position > last) break;
        ++out.records;
        const auto batch = codec::decode_batch(record.data);
        if (!batch || batch->previous_hash != hash) {
          ++out.foreign;
          continue;
        }
        hash = codec::batch_hash(record.data);
        for (const auto& event : batch->events) take(record.position.value, event);
      }
      at = got->back().position + 1;
    }
  }
  return out;
}

}  // namespace argosy::witness
